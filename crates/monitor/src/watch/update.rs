//! How the screen changes: with each moment, and with each key.

use super::model::{Figure, Watch};
use crate::moment::Moment;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What a key leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The screen looks different now.
    Draw,
    /// Nothing has changed.
    Stay,
    /// The person wants to leave.
    Leave,
}

impl Watch {
    /// The next moment has come.
    pub fn add(&mut self, moment: Moment) {
        for device in &moment.devices {
            for figure in Figure::ALL {
                if let Some(value) = figure.of(device) {
                    let key = (device.name.clone(), figure);
                    self.histories
                        .entry(key)
                        .or_default()
                        .push(moment.at, value);
                }
            }
        }
        self.chosen = self.chosen.min(moment.devices.len().saturating_sub(1));
        self.moment = Some(moment);
    }
}

/// A key was pressed. q, Escape and Ctrl-C leave; up and down choose a device, left and right what the graph shows.
pub fn press(watch: &mut Watch, key: KeyEvent) -> Next {
    if key.kind == KeyEventKind::Release {
        return Next::Stay;
    }
    if leaves(key) {
        return Next::Leave;
    }
    let devices = watch
        .moment
        .as_ref()
        .map_or(0, |moment| moment.devices.len());
    let figures = Figure::ALL.len();
    let figure = Figure::ALL
        .iter()
        .position(|&one| one == watch.figure)
        .unwrap_or(0);
    let (chosen, figure) = match key.code {
        KeyCode::Up | KeyCode::Char('k') => (watch.chosen.saturating_sub(1), figure),
        KeyCode::Down | KeyCode::Char('j') => {
            ((watch.chosen + 1).min(devices.saturating_sub(1)), figure)
        }
        KeyCode::Home => (0, figure),
        KeyCode::End => (devices.saturating_sub(1), figure),
        KeyCode::Right | KeyCode::Tab | KeyCode::Char('l') => {
            (watch.chosen, (figure + 1) % figures)
        }
        KeyCode::Left | KeyCode::BackTab | KeyCode::Char('h') => {
            (watch.chosen, (figure + figures - 1) % figures)
        }
        _ => return Next::Stay,
    };
    (watch.chosen, watch.figure) = (chosen, Figure::ALL[figure]);
    Next::Draw
}

/// The keys that end a screen.
pub(crate) fn leaves(key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c' | 'd') if control => true,
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => true,
        _ => false,
    }
}
