import semver from 'semver'
import { members, type Members } from '../../../../core/platform/json-members.ts'
import { yaml } from '../../../code/index.ts'

export interface Pubspec {
  readonly name: string
  readonly version: string
  /** pubspec.yaml. */
  readonly document: Members
}

const NAME = /^[A-Za-z_]\w{0,127}$/
const MAX_DOCUMENT = 256 * 1024

/** Reads pubspec.yaml; throws for an invalid one. Runs in a child process. */
export const createTask =
  () =>
  (text: string): Pubspec => {
    const parsed = yaml.parse(text)
    if (parsed === yaml.none) throw new Error('pubspec.yaml is not valid YAML')
    const document = members(parsed)
    const { name, version } = document
    if (typeof name !== 'string' || !NAME.test(name)) throw new Error('the name of the package is invalid')
    if (typeof version !== 'string' || version.length > 128 || !/^\d\S+$/.test(version) || !semver.valid(version))
      throw new Error('the version of the package is invalid')
    if (JSON.stringify(document).length > MAX_DOCUMENT) throw new Error('pubspec.yaml is too long')
    return { name, version, document }
  }
