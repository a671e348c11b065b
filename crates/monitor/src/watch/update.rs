//! How the screen changes: with each moment, and with each key.

use super::model::{Figure, Watch};
use crate::history::History;
use crate::moment::{DeviceMoment, Moment};
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
        let before = self.device().map(|device| device.name.clone());
        let mut moment = moment;
        if moment
            .devices
            .iter()
            .any(|device| !self.is_idle_loop(device))
        {
            moment.devices.retain(|device| !self.is_idle_loop(device));
        }
        let mut names = moment.devices.iter().map(|device| &device.name);
        let place = before.and_then(|before| names.position(|name| *name == before));
        let last = moment.devices.len().saturating_sub(1);
        self.chosen = place.unwrap_or(self.chosen.min(last));
        let did = |device: &DeviceMoment| self.top(device);
        let is_idle = moment
            .devices
            .get(self.chosen)
            .is_none_or(|it| did(it) <= 0.0);
        if is_idle && !self.is_chosen {
            // Until a person chooses, the graph is that of the busiest device.
            let busiest = moment.devices.iter().enumerate();
            let busiest = busiest.max_by(|(_, one), (_, other)| did(one).total_cmp(&did(other)));
            let busy = busiest.filter(|(_, device)| did(device) > 0.0);
            self.chosen = busy.map_or(self.chosen, |(place, _)| place);
        }
        self.moment = Some(moment);
    }

    /// The most IOPS of a device as far as the graph goes back.
    fn top(&self, device: &DeviceMoment) -> f64 {
        let key = (device.name.clone(), Figure::Ios);
        self.histories.get(&key).map_or(0.0, History::top)
    }

    /// Systems have dozens of loop devices without a file, or with one that nothing reads.
    fn is_idle_loop(&self, device: &DeviceMoment) -> bool {
        device.name.starts_with("loop") && self.top(device) <= 0.0
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
    watch.is_chosen |= chosen != watch.chosen;
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
