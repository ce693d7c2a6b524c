import { members, textOf } from '../../../platform/json-members.ts'
import type { SourceLabel } from '../source.ts'

/** Labels look alike at every service; some have members that others lack. */
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
