/** A checkpoint as those who look at a follower see it. */
import type { BackOff } from './back-off.js';
import type { Checkpoint } from './checkpoints/checkpoints.js';
import type { FollowerState, Progress } from './projection.js';

/** `version` is that of the follower that runs here. */
export function progressOf(checkpoint: Checkpoint, version: number, backOff: BackOff): Progress {
  const { position, failures, lastError } = checkpoint;
  if (checkpoint.version === version) return { position, state: stateOf(failures, backOff), lastError };
  const takenOver = `another version of this follower (${checkpoint.version}, here ${version}) has taken over`;
  return { position, state: 'parked', lastError: takenOver };
}

function stateOf(failures: number, backOff: BackOff): FollowerState {
  if (failures === 0) return 'live';
  return failures >= backOff.parkAfter ? 'parked' : 'retrying';
}
