//! The crates of the workspace: their manifests and their sources.

use std::fs;
use std::path::Path;

use super::Violation;
use super::scan::{line, tokens, without_comments_and_literals, without_tests};

/// A crate.
pub(super) struct Package {
    /// Its folder.
    pub(super) name: String,
    pub(super) manifest: toml::Table,
    pub(super) files: Vec<SourceFile>,
    /// Lines of all files in `src`, tests included.
    pub(super) lines: usize,
}

/// A file of `src` that is not only for tests.
#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    /// Within `src`.
    pub(super) path: String,
    /// The modules that lead to it; none for the root of the crate.
    pub(super) module: Vec<String>,
    pub(super) text: String,
    /// The text without comments, literals and tests; offsets and lines are those of the text.
    pub(super) code: String,
}

impl SourceFile {
    fn new(path: &str, text: &str) -> (Self, Vec<String>) {
        let (code, test_modules) = without_tests(&without_comments_and_literals(text));
        let module = path.trim_end_matches(".rs").trim_end_matches("/mod").split('/');
        let module: Vec<String> = match path {
            "lib.rs" | "main.rs" => Vec::new(),
            _ => module.map(str::to_owned).collect(),
        };
        let file = Self { path: path.to_owned(), module, text: text.to_owned(), code };
        (file, test_modules)
    }

    pub(super) fn line(&self, at: usize) -> usize {
        line(&self.code, at)
    }
}

impl Package {
    /// A crate of these files of `src`.
    pub(super) fn new(name: &str, manifest: &str, sources: &[(String, String)]) -> Self {
        let mut files = Vec::new();
        let mut test_modules: Vec<Vec<String>> = Vec::new();
        for (path, text) in sources.iter().filter(|(path, _)| !is_for_tests(path)) {
            let (file, declared) = SourceFile::new(path, text);
            test_modules.extend(
                declared.into_iter().map(|module| [file.module.as_slice(), &[module]].concat()),
            );
            files.push(file);
        }
        files.retain(|file| !test_modules.iter().any(|module| file.module.starts_with(module)));
        // With a library in the crate, its programs are crates of their own on top of it.
        if files.iter().any(|file| file.path == "lib.rs") {
            files.retain(|file| file.path != "main.rs" && !file.path.starts_with("bin/"));
        }
        let manifest =
            manifest.parse().unwrap_or_else(|error| panic!("{name}/Cargo.toml: {error}"));
        let lines = sources.iter().map(|(_, text)| text.lines().count()).sum();
        Self { name: name.to_owned(), manifest, files, lines }
    }

    /// `lib.rs`, or `main.rs` of a program without a library.
    pub(super) fn root(&self) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.module.is_empty())
    }

    /// A place in a file, as an editor understands it.
    pub(super) fn place(&self, file: &SourceFile, at: usize) -> String {
        format!("{}/src/{}:{}", self.name, file.path, file.line(at))
    }

    /// The names of the packages that it depends on. Development dependencies are left out.
    pub(super) fn dependencies(&self) -> Vec<String> {
        let mut names = Vec::new();
        let own = std::iter::once(&self.manifest);
        let targets = self.manifest.get("target").and_then(|targets| targets.as_table());
        let targets = targets.into_iter().flat_map(|targets| targets.values());
        for table in own.chain(targets.filter_map(|target| target.as_table())) {
            for section in ["dependencies", "build-dependencies"] {
                let listed = table.get(section).and_then(|listed| listed.as_table());
                for (name, dependency) in listed.into_iter().flatten() {
                    let package = dependency.get("package").and_then(|package| package.as_str());
                    names.push(package.unwrap_or(name).to_owned());
                }
            }
        }
        names
    }

    /// What cargo calls it.
    pub(super) fn package_name(&self) -> &str {
        self.manifest["package"]["name"].as_str().expect("a package has a name")
    }

    /// The modules that its root declares, in the order of the file.
    pub(super) fn modules(&self) -> Vec<String> {
        let Some(root) = self.root() else { return Vec::new() };
        let tokens = tokens(&root.code);
        let (mut modules, mut depth) = (Vec::new(), 0);
        for (number, token) in tokens.iter().enumerate() {
            match token.text {
                "{" => depth += 1,
                "}" => depth -= 1,
                "mod" if depth == 0 => {
                    modules.extend(tokens.get(number + 1).map(|name| name.text.to_owned()));
                }
                _ => {}
            }
        }
        modules
    }
}

fn is_for_tests(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// All crates of the workspace at `root`.
pub(super) fn packages(root: &Path) -> Vec<Package> {
    let manifest: toml::Table =
        fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    let package = |member: &toml::Value| {
        let name = member.as_str().unwrap();
        let folder = root.join(name);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let mut sources = Vec::new();
        collect(&folder.join("src"), "", &mut sources);
        sources.sort();
        Package::new(name, &manifest, &sources)
    };
    members.iter().map(package).collect()
}

/// The Rust files below a folder, with their paths in it.
fn collect(folder: &Path, prefix: &str, sources: &mut Vec<(String, String)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.map(Result::unwrap) {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), sources);
        } else if name.ends_with(".rs") {
            sources.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

/// Whether a crate has more lines than it may.
pub(super) fn too_large(package: &Package, most: usize) -> Option<Violation> {
    let Package { name, lines, .. } = package;
    (*lines > most)
        .then(|| format!("{name}/src has {lines} lines, and {most} are allowed; split the crate"))
}
