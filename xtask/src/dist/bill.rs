//! The bill of materials: every library that the program links, as CycloneDX 1.5, from what cargo resolved.
//!
//! Source: the CycloneDX specification, <https://cyclonedx.org/docs/1.5/json/>. Omitted: libraries of tests and of building.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Returns the version of the workspace.
pub(super) fn version(root: &Path) -> Result<String, String> {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml"));
    let manifest = manifest.map_err(|why| format!("Cargo.toml: {why}"))?;
    let mut versions = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("version = \""));
    let version = versions.next().and_then(|rest| rest.split('"').next());
    Ok(version.ok_or("Cargo.toml: no version")?.to_owned())
}

/// Returns the bill of materials of the program.
pub(super) fn of_materials(root: &Path) -> Result<String, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
    ]);
    cargo.arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH));
    let metadata: Value = serde_json::from_slice(&super::output(cargo.current_dir(root))?)
        .map_err(|why| format!("cargo metadata: {why}"))?;
    let all: BTreeMap<&str, &Value> = list(&metadata["packages"])
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .collect();
    let program = all.values().find(|package| package["name"] == "fathom");
    let program = program.ok_or("cargo metadata: no package fathom")?;
    let linked = linked(&metadata, program["id"].as_str().unwrap_or_default());
    let components: Vec<Value> = linked
        .iter()
        .filter_map(|id| all.get(id))
        .filter(|package| !package["source"].is_null()) // those without are of this workspace
        .map(|package| component("library", package))
        .collect();
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component("application", program) },
        "components": components,
    });
    serde_json::to_string_pretty(&bill)
        .map(|text| text + "\n")
        .map_err(|why| why.to_string())
}

/// Returns the packages that this one links, itself among them.
fn linked<'a>(metadata: &'a Value, program: &'a str) -> BTreeSet<&'a str> {
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"]["nodes"])
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let mut found = BTreeSet::new();
    let mut open = vec![program];
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        let needs = nodes.get(id).map(|node| list(&node["deps"]));
        let linked = needs.into_iter().flatten().filter(|need| {
            list(&need["dep_kinds"]).any(|kind| kind["kind"].is_null()) // else it is for tests or for building
        });
        open.extend(linked.filter_map(|need| need["pkg"].as_str()));
    }
    found
}

fn component(kind: &str, package: &Value) -> Value {
    let (name, version) = (package["name"].as_str(), package["version"].as_str());
    let (name, version) = (name.unwrap_or_default(), version.unwrap_or_default());
    json!({
        "type": kind,
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
        "licenses": [{ "expression": package["license"].as_str().unwrap_or("NOASSERTION").replace('/', " OR ") }],
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_has_what_is_linked_and_nothing_of_tests() {
        let bill = of_materials(&crate::workspace_root()).unwrap();
        let bill: Value = serde_json::from_str(&bill).unwrap();
        let names: BTreeSet<&str> = list(&bill["components"])
            .filter_map(|component| component["name"].as_str())
            .collect();
        for linked in ["rusqlite", "io-uring", "serde_json"] {
            assert!(names.contains(linked), "{linked}");
        }
        for other in ["proptest", "expect-test", "cc", "model", "fathom"] {
            assert!(!names.contains(other), "{other}");
        }
    }
}
