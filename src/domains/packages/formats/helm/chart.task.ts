import semver from 'semver'
import { members, type Members } from '../../../../core/platform/json-members.ts'
import { yaml } from '../../../code/index.ts'

export interface Chart {
  readonly name: string
  readonly version: string
  /** Chart.yaml. */
  readonly document: Members
}

const NAME = /^[A-Za-z\d][\w.-]{0,249}$/
const MAX_DOCUMENT = 64 * 1024

/** Reads Chart.yaml; throws for an invalid one. Runs in a child process. */
export const createTask =
  () =>
  (text: string): Chart => {
    const parsed = yaml.parse(text)
    if (parsed === yaml.none) throw new Error('Chart.yaml is not valid YAML')
    const document = members(parsed)
    const { apiVersion, name, version } = document
    if (apiVersion !== 'v1' && apiVersion !== 'v2') throw new Error('the apiVersion of the chart is neither v1 nor v2')
    if (typeof name !== 'string' || !NAME.test(name)) throw new Error('the name of the chart is invalid')
    if (typeof version !== 'string' || version.length > 250 || !/^v?\d\S*$/.test(version) || !semver.valid(version))
      throw new Error('the version of the chart is invalid')
    const { appVersion } = document
    // A number that is not quoted.
    const shown = typeof appVersion === 'number' ? { ...document, appVersion: String(appVersion) } : document
    if (JSON.stringify(shown).length > MAX_DOCUMENT) throw new Error('Chart.yaml is too long')
    return { name, version, document: shown }
  }
