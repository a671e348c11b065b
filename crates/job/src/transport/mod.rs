//! By what frames travel. A transport is a file here; it moves bytes, and notices where it can that another rank is gone.

pub mod inside;
pub mod mpi;
pub mod pipes;

/// What came from a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// The bytes of one frame.
    Frame(Vec<u8>),
    /// It is no longer there.
    Gone(String),
}

/// One end of all connections of a rank. No call waits.
pub trait Transport {
    /// Its number.
    fn rank(&self) -> u32;
    /// How many there are.
    fn size(&self) -> u32;
    /// The library or protocol, for people.
    fn name(&self) -> String;
    /// Frames of this rank may come from now on.
    fn watch(&mut self, rank: u32);
    /// Sends a frame. One that cannot be sent is lost with its receiver.
    fn send(&mut self, to: u32, bytes: Vec<u8>);
    /// Returns what came, if anything did.
    fn receive(&mut self) -> Option<(u32, Received)>;
    /// Ends: sends what is on its way, for as long as a caller allows. With `whole` all ranks end together.
    fn close(&mut self, whole: bool);
    /// Ends all ranks at once.
    fn abort(&mut self);
}
