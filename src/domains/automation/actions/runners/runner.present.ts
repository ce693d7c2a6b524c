import type { ActionRunner } from './runner.model.ts'
import { decideRunnerState } from './runner.policy.ts'
import type { Runner } from './runner.store.ts'

export function presentRunner(runner: Runner, now: number): ActionRunner {
  const { isOnline, isBusy } = decideRunnerState(runner, now)
  return {
    id: runner.id,
    name: runner.name,
    status: isOnline ? 'online' : 'offline',
    busy: isBusy,
    disabled: runner.isDisabled,
    ephemeral: runner.isEphemeral,
    labels: runner.labels.map((name, id) => ({ id, name, type: 'custom' })),
  }
}
