//! Health of devices as they report it themselves. Source: IOCTL_STORAGE_PREDICT_FAILURE. Omitted: mirrors and pools.

use super::ask;
use crate::root::Root;
use model::{DeviceHealth, HealthState};
use windows_sys::Win32::System::Ioctl::IOCTL_STORAGE_PREDICT_FAILURE;

/// Of these devices. Devices of which nothing is known are omitted.
pub fn device_health(root: &Root, devices: &[String]) -> Vec<DeviceHealth> {
    let of = |device: &String| {
        let answer = ask::device(root, device, IOCTL_STORAGE_PREDICT_FAILURE, &[])?;
        let (state, words) = match answer.u32(0)? {
            0 => (HealthState::Good, "predicts no failure"),
            _ => (HealthState::Degraded, "predicts its failure (SMART)"),
        };
        Some(DeviceHealth {
            device: device.clone(),
            state,
            words: words.to_owned(),
        })
    };
    devices.iter().filter_map(of).collect()
}
