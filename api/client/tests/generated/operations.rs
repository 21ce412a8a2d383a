//! Methods of the client, one for each operation.

use std::fmt::Write as _;

use serde_json::Value;

use super::naming::{camel, doc, snake};
use super::types::type_of;

struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    body: &'a Value,
}

/// Returns a method for each operation whose answer is a success, and a type for each set of query parameters.
pub fn generate(description: &Value) -> String {
    let (mut queries, mut methods) = (String::new(), String::new());
    for (path, operations) in description["paths"].as_object().unwrap() {
        for (method, body) in operations.as_object().unwrap() {
            let operation = Operation { method, path, body };
            if operation.answer().is_some() {
                operation.write_query(&mut queries);
                operation.write_method(&mut methods);
            }
        }
    }
    let uses = "\nuse crate::call::Call;\nuse crate::call_error::CallError;\nuse crate::client::Client;\n\
                use crate::idempotency_key::IdempotencyKey;\nuse crate::types::*;\n";
    format!("{uses}{queries}\nimpl Client {{\n{}}}\n", methods.trim_start_matches('\n'))
}

impl Operation<'_> {
    fn name(&self) -> &str {
        self.body["operationId"].as_str().unwrap()
    }

    fn parameters(&self, place: &str) -> Vec<&Value> {
        let all = self.body["parameters"].as_array().into_iter().flatten();
        all.filter(|parameter| parameter["in"] == place).collect()
    }

    /// The type of the answer and the function that reads it; `None` for operations that only redirect.
    fn answer(&self) -> Option<(String, &'static str)> {
        let answers = self.body["responses"].as_object().unwrap();
        let (_, answer) = answers.iter().find(|(status, _)| status.starts_with('2'))?;
        let Some(content) = answer["content"].as_object() else { return Some(("()".to_owned(), "send")) };
        let (kind, content) = content.iter().next().unwrap();
        match kind.as_str() {
            "application/json" => Some((type_of(&content["schema"]), "read")),
            _ => Some(("String".to_owned(), "text")),
        }
    }

    fn query_type(&self) -> String {
        format!("{}Query", camel(self.name()))
    }

    fn write_query(&self, out: &mut String) {
        let parameters = self.parameters("query");
        if parameters.is_empty() {
            return;
        }
        writeln!(out, "\n/// The query of [`Client::{}`].", snake(self.name())).unwrap();
        out.push_str("#[derive(Clone, Debug, Default, PartialEq, Eq)]\n");
        writeln!(out, "pub struct {} {{", self.query_type()).unwrap();
        let mut pairs = String::new();
        for parameter in parameters {
            let (name, kind) = (parameter["name"].as_str().unwrap(), type_of(&parameter["schema"]));
            doc("    ", parameter["description"].as_str().unwrap_or(name), out);
            let is_required = parameter["required"] == true;
            let (field, kind) = (snake(name), if is_required { kind } else { format!("Option<{kind}>") });
            writeln!(out, "    pub {field}: {kind},").unwrap();
            let value = if is_required { format!("Some(&self.{field})") } else { format!("self.{field}.as_ref()") };
            writeln!(pairs, "            (\"{name}\", {value}.map(ToString::to_string)),").unwrap();
        }
        write!(
            out,
            "}}\n\nimpl {} {{\n    fn pairs(&self) -> Vec<(&'static str, Option<String>)> {{\n        vec![\n{pairs}        ]\n    }}\n}}\n",
            self.query_type()
        )
        .unwrap();
    }

    fn write_method(&self, out: &mut String) {
        let (answer, read) = self.answer().unwrap();
        out.push('\n');
        doc("    ", self.body["summary"].as_str().unwrap(), out);
        if let Some(more) = self.body["description"].as_str() {
            out.push_str("    ///\n");
            doc("    ", more, out);
        }
        out.push_str("    ///\n    /// # Errors\n    /// [`CallError`].\n");
        let quota = match (self.body.get("security"), self.method) {
            (None, "get") => "reads",
            (Some(_), "get") => "own_reads",
            _ => "writes",
        };
        let (mut arguments, mut path, mut call) = (String::new(), self.path.to_owned(), String::new());
        for parameter in self.parameters("path") {
            let name = parameter["name"].as_str().unwrap();
            write!(arguments, ", {}: &str", snake(name)).unwrap();
            path = path.replace(&format!("{{{name}}}"), "{}");
            write!(call, ".segment({})", snake(name)).unwrap();
        }
        if !self.parameters("query").is_empty() {
            write!(arguments, ", query: &{}", self.query_type()).unwrap();
            call.push_str(".query(query.pairs())");
        }
        if let Some(content) = self.body["requestBody"]["content"].as_object() {
            write!(arguments, ", body: &{}", type_of(&content["application/json"]["schema"])).unwrap();
            call.push_str(".body(body)?");
        }
        if !self.parameters("header").is_empty() {
            arguments.push_str(", key: &IdempotencyKey");
            call.push_str(".idempotent(key)");
        }
        let method = self.method.to_uppercase();
        writeln!(
            out,
            "    pub async fn {}(&self{arguments}) -> Result<{answer}, CallError> {{\n        \
             self.{read}(Call::{quota}(\"{method}\", \"{path}\"){call}).await\n    }}",
            snake(self.name())
        )
        .unwrap();
    }
}
