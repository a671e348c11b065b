//! Who is in a group, by the files of accounts. Services on the network are not asked: they may not answer, and a program
//! without the system's C library cannot reach them. Where one is configured, the members are unknown.
//!
//! Source: group(5), passwd(5), nsswitch.conf(5), subgid(5), userdb(8).

use std::fs;
use std::path::Path;

/// Services whose accounts are all in the files that are read here, or in the folders of [`USERDB`].
const FILES: [&str; 3] = ["files", "compat", "systemd"];
/// Where systemd keeps accounts and memberships.
const USERDB: [&str; 5] = [
    "etc/userdb",
    "run/userdb",
    "run/host/userdb",
    "usr/lib/userdb",
    "var/lib/systemd/home",
];

/// The files of accounts below a folder.
pub(crate) struct Accounts<'a>(&'a Path);

impl<'a> Accounts<'a> {
    pub(crate) fn of(root: &'a Path) -> Self {
        Accounts(root)
    }

    /// A member of the group other than those users that are `known`, if there is one.
    ///
    /// # Errors
    /// Why the members are not known.
    pub(crate) fn other_member(
        &self,
        group: u32,
        known: &dyn Fn(u32) -> bool,
    ) -> Result<Option<String>, String> {
        self.check_services()?;
        let users = self.text("etc/passwd")?;
        let groups = self.text("etc/group")?;
        if let Some(line) = users
            .lines()
            .chain(groups.lines())
            .find(|line| line.starts_with('+'))
        {
            return Err(format!("'{line}' refers to NIS"));
        }
        let users: Vec<User<'_>> = users.lines().filter_map(User::parse).collect();
        let is_known = |name: &str| {
            let mut of_name = users.iter().filter(|user| user.name == name).peekable();
            of_name.peek().is_some() && of_name.all(|user| known(user.id))
        };
        let lists: Vec<&str> = groups
            .lines()
            .filter_map(|line| members(line, group))
            .collect();
        if lists.is_empty() {
            return Err("/etc/group does not list it".to_owned());
        }
        let ranges = self.text("etc/subgid").unwrap_or_default();
        let listed = lists.iter().flat_map(|list| list.split(','));
        let listed = listed.map(str::trim).filter(|name| !name.is_empty());
        let of_range = ranges
            .lines()
            .filter_map(|line| owner_of_range(line, group));
        let named = listed
            .chain(of_range)
            .find(|name| !is_known(name) && !is_known_id(name, known));
        let primary = || {
            users
                .iter()
                .find(|user| user.group == group && !known(user.id))
        };
        Ok(named
            .or_else(|| primary().map(|user| user.name))
            .map(str::to_owned))
    }

    /// Whether all accounts are in files.
    fn check_services(&self) -> Result<(), String> {
        let services = self.text("etc/nsswitch.conf").unwrap_or_default();
        for line in services.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((what, services)) = line.split_once(':') else {
                continue;
            };
            if !["passwd", "group", "initgroups"].contains(&what.trim()) {
                continue;
            }
            // What is in brackets is what to do after a service's answer.
            let outside = services.split(['[', ']']).step_by(2);
            let mut services = outside.flat_map(str::split_whitespace);
            if let Some(other) = services.find(|service| !FILES.contains(service)) {
                return Err(format!("nsswitch.conf has accounts of '{other}'"));
            }
        }
        let is_used = |folder: &&&str| {
            fs::read_dir(self.0.join(folder)).is_ok_and(|mut entries| entries.next().is_some())
        };
        match USERDB.iter().find(is_used) {
            Some(folder) => Err(format!("/{folder} has accounts of systemd")),
            None => Ok(()),
        }
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let bytes = fs::read(self.0.join(name));
        let bytes = bytes.map_err(|_| format!("/{name} cannot be read"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// `name:password:id:group:…`
struct User<'a> {
    name: &'a str,
    id: u32,
    group: u32,
}

impl<'a> User<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.split(':');
        let name = fields.next()?;
        Some(User {
            name,
            id: fields.nth(1)?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
        })
    }
}

/// The list of `name:password:id:list`, if that is the group.
fn members(line: &str, group: u32) -> Option<&str> {
    let mut fields = line.split(':').skip(2);
    let is_it = fields.next()?.parse() == Ok(group);
    is_it.then(|| fields.next().unwrap_or_default())
}

/// Who may take the group's number into a namespace of its own: `user:first:count`.
fn owner_of_range(line: &str, group: u32) -> Option<&str> {
    let mut fields = line.split(':');
    let owner = fields.next()?;
    let first: u32 = fields.next()?.parse().ok()?;
    let count: u32 = fields.next()?.parse().ok()?;
    let within = group >= first && group - first < count;
    within.then_some(owner)
}

/// A range may name its owner by number.
fn is_known_id(name: &str, known: &dyn Fn(u32) -> bool) -> bool {
    name.parse().is_ok_and(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0::/:/bin/sh\nann:x:1000:1000::/:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n\
                          eve:x:1002:100::/:/bin/sh\n";

    /// What is known of a group, with these files.
    fn asked(group: u32, groups: &str, services: &str) -> Result<Option<String>, String> {
        let root = tempfile::tempdir().unwrap();
        let etc = root.path().join("etc");
        fs::create_dir(&etc).unwrap();
        fs::write(etc.join("passwd"), PASSWD).unwrap();
        fs::write(etc.join("group"), groups).unwrap();
        fs::write(etc.join("nsswitch.conf"), services).unwrap();
        fs::write(etc.join("subgid"), "bob:200000:65536\n").unwrap();
        Accounts::of(root.path()).other_member(group, &|user| user == 0 || user == 1000)
    }

    #[test]
    fn members_are_those_of_the_list_and_those_whose_primary_group_it_is() {
        let groups =
            "root:x:0:\nann:x:1000:ann\nusers:x:100:\nteam:x:50:root,ann,bob\nsame:x:1000:bob";
        let member = |group| asked(group, groups, "").unwrap();
        assert_eq!(member(0), None);
        assert_eq!(member(100).as_deref(), Some("eve"));
        assert_eq!(member(50).as_deref(), Some("bob"));
        assert_eq!(
            member(1000).as_deref(),
            Some("bob"),
            "a second name of the group"
        );
        assert_eq!(asked(1000, "ann:x:1000:", "").unwrap(), None);
        assert_eq!(
            asked(200_001, "high:x:200001:", "").unwrap().as_deref(),
            Some("bob")
        );
        assert_eq!(
            asked(0, "root:x:0:ghost", "").unwrap().as_deref(),
            Some("ghost")
        );
    }

    #[test]
    fn where_accounts_may_be_elsewhere_the_members_are_unknown() {
        let groups = "root:x:0:";
        for good in [
            "group: files systemd",
            "group: files [!UNAVAIL=return] systemd",
            "hosts: dns",
            "",
        ] {
            assert_eq!(asked(0, groups, good), Ok(None), "{good}");
        }
        for bad in [
            "group: files sss",
            "passwd: ldap files",
            "initgroups: files winbind",
        ] {
            assert!(asked(0, groups, bad).is_err(), "{bad}");
        }
        assert!(asked(7, groups, "").is_err(), "a group that is not listed");
        assert!(asked(0, "root:x:0:\n+:::", "").is_err(), "NIS");
        let none = tempfile::tempdir().unwrap();
        assert!(
            Accounts::of(none.path())
                .other_member(0, &|_| true)
                .is_err()
        );
    }
}
