import { isValidRefName } from '../engine/ref-name.ts'
import type { RefCommand } from './receive-request.ts'
import { isBelow } from './repo.ts'

/** Why the protocol or the server itself refuses a command, whatever the policy says; undefined when they do not. */
export function commandFault(
  command: RefCommand,
  all: readonly RefCommand[],
  reserved: readonly string[],
): string | undefined {
  const { ref } = command
  if (!ref.startsWith('refs/') || !isValidRefName(ref)) return 'funny refname'
  if (isBelow(ref, reserved)) return `hook declined to update ${ref}`
  if (all.some((other) => other !== command && other.ref === ref)) return 'multiple updates for one ref'
  return undefined
}
