import { members, textOf } from '../../../platform/json-members.ts'
import type { SourceLabel } from '../source.ts'

/** Reads a label of any service; members that a service lacks are empty or false. */
export function readLabel(value: unknown): SourceLabel {
  const label = members(value)
  return {
    name: textOf(label['name']),
    color: textOf(label['color']),
    description: textOf(label['description']),
    isExclusive: label['exclusive'] === true,
    isArchived: label['is_archived'] === true,
  }
}
