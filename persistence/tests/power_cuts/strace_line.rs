//! One line of strace's output.

/// The options by which all file operations of a process and its threads are recorded, with whole contents.
pub(crate) const OPTIONS: [&str; 7] = [
    "--follow-forks",
    "--seccomp-bpf",
    "--strings-in-hex=all",
    "--string-limit=100000000",
    "--quiet=all",
    "--signal=none",
    "--trace=open,openat,creat,close,read,lseek,write,pwrite64,pwritev,writev,fsync,fdatasync,ftruncate,truncate,\
     rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,fallocate,mmap,dup,dup2,dup3,fcntl,\
     copy_file_range,sendfile,io_uring_setup,ioctl",
];

/// A system call, or one half of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A call that begins and ends here.
    Whole(Call<'a>),
    /// The beginning of a call of this thread.
    Begun(u32, &'a str),
    /// The end of a call of this thread: the rest of its text.
    Ended(u32, &'a str),
    /// The line is about no call.
    Other,
}

/// A call with its arguments and its result.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: Vec<&'a str>,
    /// Negative where it failed.
    pub(crate) result: i64,
}

impl<'a> Line<'a> {
    pub(crate) fn parse(line: &'a str) -> Self {
        let Some((thread, rest)) = line.split_once(' ') else { return Self::Other };
        let Ok(thread) = thread.parse() else { return Self::Other };
        let rest = rest.trim_start();
        if let Some(resumed) = rest.strip_prefix("<... ") {
            return match resumed.split_once(" resumed>") {
                Some((_, end)) => Self::Ended(thread, end),
                None => Self::Other,
            };
        }
        match rest.strip_suffix(" <unfinished ...>") {
            Some(begun) => Self::Begun(thread, begun),
            None => Call::parse(rest).map_or(Self::Other, Self::Whole),
        }
    }
}

impl<'a> Call<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (name, rest) = text.split_once('(')?;
        let (arguments, result) = rest.rsplit_once(") = ").or_else(|| {
            // The result is aligned.
            let at = rest.rfind(" = ")?;
            Some((rest[..at].trim_end().strip_suffix(')')?, &rest[at + 3..]))
        })?;
        let result = result.split(' ').next()?;
        // A failed mmap and such have a word; addresses do not matter here.
        let result = result.parse().unwrap_or(if result == "?" { -1 } else { 0 });
        Some(Self { name, arguments: arguments.split(", ").collect(), result })
    }

    /// A number among the arguments.
    pub(crate) fn number(&self, place: usize) -> i64 {
        self.arguments[place].parse().unwrap_or_else(|_| panic!("{self:?} has no number at {place}"))
    }

    /// The bytes of a text among the arguments.
    pub(crate) fn bytes(&self, place: usize) -> Vec<u8> {
        let text = self.arguments[place].strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let text = text.unwrap_or_else(|| panic!("{} has no whole text at {place}", self.name));
        let digit = |digit: u8| match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => panic!("{digit} is no hexadecimal digit"),
        };
        // Each byte is written as \x and two digits.
        text.as_bytes().chunks(4).map(|byte| digit(byte[2]) << 4 | digit(byte[3])).collect()
    }

    /// A path among the arguments.
    pub(crate) fn path(&self, place: usize) -> String {
        String::from_utf8(self.bytes(place)).unwrap()
    }
}

#[test]
fn calls_are_parsed_whole_and_in_halves() {
    let whole = Line::parse(r#"812  pwrite64(3, "\x00\xff", 2, 4096) = 2"#);
    let Line::Whole(call) = whole else { panic!("{whole:?}") };
    assert_eq!((call.name, call.bytes(1), call.number(3), call.result), ("pwrite64", vec![0, 255], 4_096, 2));
    let begun = Line::parse("7 fdatasync(5 <unfinished ...>");
    assert_eq!(begun, Line::Begun(7, "fdatasync(5"));
    let ended = Line::parse("7 <... fdatasync resumed>)      = 0");
    assert_eq!(ended, Line::Ended(7, ")      = 0"));
    assert_eq!(Call::parse("fdatasync(5)      = 0").unwrap().result, 0);
    assert_eq!(Call::parse(r#"rename("\x61", "\x62") = -1 ENOENT (No such file or directory)"#).unwrap().result, -1);
    assert_eq!(Line::parse("7 +++ exited with 0 +++"), Line::Other);
}
