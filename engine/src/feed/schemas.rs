//! The schemas of the frames of the channels, for the description of the feed.

use utoipa::ToSchema;
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, Object, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type,
};
use utoipa::openapi::{Ref, RefOr};

use crate::wire::{HaltView, RequestView, Row};

use super::frame::{BookData, BookOp, MeOp, MeState};
use super::list_hub::Listed;

/// The pattern of the name of a book's channel.
const BOOK_PATTERN: &str = "^book:g_[0-9a-f]{1,8}$";

/// The two frames of a channel, and the schemas that they refer to.
pub struct ChannelSchemas {
    /// The name of the channel; `book` for that of every book.
    pub name: &'static str,
    /// The frame with the whole state.
    pub snapshot: Schema,
    /// The frame with changes.
    pub delta: Schema,
    /// The schemas that both refer to, by name.
    pub components: Vec<(String, RefOr<Schema>)>,
}

/// Returns the schemas of the frames of all channels.
#[must_use]
pub fn channel_schemas() -> [ChannelSchemas; 5] {
    [
        list_schemas::<Row>("Market"),
        list_schemas::<RequestView>("Requests"),
        list_schemas::<HaltView>("Halts"),
        book_schemas(),
        me_schemas(),
    ]
}

/// Returns a type's own schema and those that it refers to, by name.
#[must_use]
pub fn components_of<T: ToSchema>() -> Vec<(String, RefOr<Schema>)> {
    let mut found = Vec::new();
    T::schemas(&mut found);
    found.push((T::name().into_owned(), T::schema()));
    found
}

/// Returns the schema of one text, such as the name of an operation.
#[must_use]
pub fn constant(text: &str) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some([text])).build()
}

fn list_schemas<T: Listed + ToSchema>(title: &str) -> ChannelSchemas {
    let name = match T::CHANNEL {
        super::Channel::Requests => "requests",
        super::Channel::Halts => "halts",
        _ => "market",
    };
    let item = Ref::from_schema_name(T::name());
    let items = ArrayBuilder::new().items(item.clone()).build();
    let data = ObjectBuilder::new().property(T::LIST, items).required(T::LIST).build();
    let set = ObjectBuilder::new()
        .property("op", constant(T::ITEM))
        .property(T::ITEM, item)
        .required("op")
        .required(T::ITEM)
        .description(Some("The new state of an item."));
    let (gone, id) = T::GONE;
    let gone = ObjectBuilder::new()
        .property("op", constant(gone))
        .property(id, text())
        .required("op")
        .required(id)
        .description(Some("The end of an item."));
    let op = OneOfBuilder::new().item(set).item(gone).description(Some("A change of the list.")).build();
    let mut components = components_of::<T>();
    let (data_name, op_name) = (format!("{title}Data"), format!("{title}Op"));
    components.push((data_name.clone(), RefOr::T(data.into())));
    components.push((op_name.clone(), RefOr::T(op.into())));
    framed(name, &constant(name), &data_name, &[&op_name], false, components)
}

fn book_schemas() -> ChannelSchemas {
    let row = ObjectBuilder::new()
        .property("op", constant(Row::ITEM))
        .property(Row::ITEM, Ref::from_schema_name(Row::name()))
        .required("op")
        .required(Row::ITEM)
        .description(Some("The new state of the row."))
        .build();
    let mut components = [components_of::<BookData<'_>>(), components_of::<BookOp>()].concat();
    components.push(("RowOp".to_owned(), RefOr::T(row.into())));
    let channel = text_like(BOOK_PATTERN);
    framed("book", &channel, "BookData", &["BookOp", "RowOp"], true, components)
}

fn me_schemas() -> ChannelSchemas {
    let components = [components_of::<MeState<'_>>(), components_of::<MeOp>()].concat();
    framed("me", &constant("me"), "MeState", &["MeOp"], false, components)
}

/// Returns the frames around the data and the operations of these names.
fn framed(
    name: &'static str,
    channel: &Object,
    data: &str,
    ops: &[&str],
    has_crc: bool,
    components: Vec<(String, RefOr<Schema>)>,
) -> ChannelSchemas {
    let begin = |kind: &str| {
        let frame = ObjectBuilder::new().property("type", constant(kind)).property("channel", channel.clone());
        frame.property("epoch", text()).required("type").required("channel").required("epoch")
    };
    let snapshot = begin("snapshot")
        .property("seq", count())
        .required("seq")
        .property("data", Ref::from_schema_name(data))
        .required("data");
    let op = match ops {
        [op] => RefOr::from(Ref::from_schema_name(*op)),
        ops => {
            let choices = ops.iter().fold(OneOfBuilder::new(), |all, op| all.item(Ref::from_schema_name(*op)));
            RefOr::T(choices.build().into())
        }
    };
    let mut delta = begin("delta")
        .property("prev", count())
        .required("prev")
        .property("seq", count())
        .required("seq")
        .property("ops", ArrayBuilder::new().items(op).build())
        .required("ops");
    if has_crc {
        delta = delta.property("crc", count());
    }
    ChannelSchemas { name, snapshot: snapshot.build().into(), delta: delta.build().into(), components }
}

fn text() -> Object {
    ObjectBuilder::new().schema_type(Type::String).build()
}

fn text_like(pattern: &str) -> Object {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).build()
}

fn count() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(0))
        .build()
}
