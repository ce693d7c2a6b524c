import { invalid } from '../../../core/platform/errors.ts'

/** A label of a set for new repositories; `color` is six lower-case hexadecimal digits. */
interface LabelOfSet {
  readonly name: string
  readonly color: string
  readonly description: string
  /** At most one label of its scope, the part before the slash, on an issue. */
  readonly exclusive: boolean
}

const free = (name: string, color: string, description: string): LabelOfSet => ({
  name,
  color,
  description,
  exclusive: false,
})
const scoped = (name: string, color: string, description: string): LabelOfSet => ({
  name,
  color,
  description,
  exclusive: true,
})

/** Label sets by name, A-Z (behaviour/users-and-admin#miscellaneous-endpoints). */
export const LABEL_SETS: ReadonlyMap<string, readonly LabelOfSet[]> = new Map([
  [
    'Advanced',
    [
      free('Kind/Bug', 'ee0701', 'Something is not working'),
      free('Kind/Feature', '0288d1', 'New functionality'),
      free('Kind/Enhancement', '84b6eb', 'Improve existing functionality'),
      free('Kind/Security', '9c27b0', 'This is a security issue'),
      free('Kind/Testing', '795548', 'Issue or pull request related to testing'),
      free('Kind/Documentation', '37474f', 'Documentation changes'),
      free('Compat/Breaking', 'c62828', 'Breaking change that is not backward compatible'),
      scoped('Reviewed/Duplicate', '616161', 'This issue or pull request already exists'),
      scoped('Reviewed/Invalid', '546e7a', 'Invalid issue'),
      scoped('Reviewed/Confirmed', '795548', 'Issue has been confirmed'),
      scoped("Reviewed/Won't Fix", 'eeeeee', "This issue won't be fixed"),
      scoped('Status/Need More Info', '424242', 'Feedback is required to reproduce the issue or to continue the work'),
      scoped('Status/Blocked', '880e4f', 'Something is blocking this issue or pull request'),
      scoped('Status/Abandoned', '222222', 'Somebody has started to work on this but abandoned it'),
      scoped('Priority/Critical', 'b71c1c', 'The priority is critical'),
      scoped('Priority/High', 'd32f2f', 'The priority is high'),
      scoped('Priority/Medium', 'e64a19', 'The priority is medium'),
      scoped('Priority/Low', '4caf50', 'The priority is low'),
    ],
  ],
  [
    'Default',
    [
      free('bug', 'ee0701', 'Something is not working'),
      free('duplicate', 'cccccc', 'This issue or pull request already exists'),
      free('enhancement', '84b6eb', 'New feature'),
      free('help wanted', '128a0c', 'Need some help'),
      free('invalid', 'e6e6e6', 'Something is wrong'),
      free('question', 'cc317c', 'More information is needed'),
      free('wontfix', 'ffffff', "This won't be fixed"),
    ],
  ],
])

/** The labels of a set. Throws Invalid for an unknown one. */
export function labelsOfSet(name: string): readonly LabelOfSet[] {
  const set = LABEL_SETS.get(name)
  if (set === undefined)
    throw invalid(`failed to load label template file "${name}": label template "${name}" not found`)
  return set
}
