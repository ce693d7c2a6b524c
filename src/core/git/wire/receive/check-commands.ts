import { forEachPausing } from '../../../platform/concurrency/pauses.ts'
import { isValidRefName } from '../../engine/refs/ref-name.ts'
import type { RefCommand } from './receive-request.ts'
import { isBelow } from '../repo.ts'

/**
 * Why the protocol or the server itself refuses commands, whatever the policy says; nothing for those it accepts. With
 * pauses: there may be 10,000 commands.
 */
export async function commandFaults(
  commands: readonly RefCommand[],
  reserved: readonly string[],
): Promise<Map<RefCommand, string>> {
  const times = new Map<string, number>()
  for (const { ref } of commands) times.set(ref, (times.get(ref) ?? 0) + 1)
  const faults = new Map<RefCommand, string>()
  await forEachPausing(commands, (command) => {
    const fault = nameFault(command.ref, reserved) ?? (times.get(command.ref)! > 1 ? REPEATED : undefined)
    if (fault !== undefined) faults.set(command, fault)
  })
  return faults
}

const REPEATED = 'multiple updates for one ref'

function nameFault(ref: string, reserved: readonly string[]): string | undefined {
  if (!ref.startsWith('refs/') || !isValidRefName(ref)) return 'funny refname'
  if (isBelow(ref, reserved)) return `hook declined to update ${ref}`
  return undefined
}
