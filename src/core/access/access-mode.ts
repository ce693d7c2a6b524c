/** A level of access; a higher mode includes the lower ones. */
export const AccessMode = { none: 0, read: 1, write: 2, admin: 3, owner: 4 } as const
export type AccessMode = (typeof AccessMode)[keyof typeof AccessMode]
export type AccessName = keyof typeof AccessMode

const NAMES = ['none', 'read', 'write', 'admin', 'owner'] as const

export const accessName = (mode: AccessMode): AccessName => NAMES[mode]
export const asAccessMode = (value: number): AccessMode => Math.min(4, Math.max(0, Math.trunc(value))) as AccessMode

/** The mode a client names, or undefined when there is none of that name. */
export function parseAccessName(name: string): AccessMode | undefined {
  const index = (NAMES as readonly string[]).indexOf(name)
  return index < 0 ? undefined : (index as AccessMode)
}
