//! The build script that makes sure that there is a web app to embed: if none was built, it writes a page that explains
//! so.

use std::path::Path;
use std::{fs, io};

const PLACEHOLDER: &str = r#"<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Lienbook</title></head>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 20vh auto; padding: 0 1rem">
<h1>The web app was not built</h1>
<p>The server is running, but it was compiled without the web app. In the project's folder:</p>
<pre>make run</pre>
<p>or <code>npm ci &amp;&amp; npm run build</code> in <code>web/</code>, and then compile again.</p>
<p>The interface for programs is described at <a href="/api/docs/">/api/docs/</a>.</p>
</body>
</html>
"#;

fn main() -> io::Result<()> {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/dist");
    let page = dist.join("index.html");
    if !page.exists() {
        fs::create_dir_all(&dist)?;
        fs::write(&page, PLACEHOLDER)?;
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../web/dist");
    Ok(())
}
