import { members, type Members } from '../../../../core/platform/json-members.ts'
import { elementsOf, parseXml, textOfElement } from '../../../../core/platform/xml.ts'

/** The stored members of a POM. */
export interface Pom {
  /** Empty where the parent decides. */
  readonly groupId: string
  readonly artifactId: string
  /** Empty where the parent decides. */
  readonly version: string
  readonly packaging: string
  readonly name: string
  readonly description: string
  readonly url: string
  readonly licenses: readonly string[]
  readonly dependencies: readonly { readonly groupId: string; readonly artifactId: string; readonly version: string }[]
}

const MAX_TEXT = 4096
const MAX_ID = 255
const MAX_ENTRIES = 1000

/** Runs in a child process; throws for an invalid POM. */
export const createTask =
  () =>
  (text: string): Pom => {
    const root = parseXml(text)
    if (root['project'] === undefined) throw new Error('the POM has no element "project"')
    const project = members(root['project'])
    const parent = members(project['parent'])
    const own = (name: string, maxLength: number): string => textOfElement(project[name], maxLength)
    return {
      ...idsOf({ groupId: parent['groupId'], version: parent['version'], ...project }),
      packaging: own('packaging', MAX_ID) || 'jar',
      name: own('name', MAX_TEXT),
      description: own('description', MAX_TEXT),
      url: own('url', MAX_TEXT),
      licenses: childrenOf(project, 'licenses', 'license').map((one) => textOfElement(one['name'], MAX_TEXT)),
      dependencies: childrenOf(project, 'dependencies', 'dependency').map((one) => idsOf(one)),
    }
  }

const idsOf = (element: Members) => ({
  groupId: textOfElement(element['groupId'], MAX_ID),
  artifactId: textOfElement(element['artifactId'], MAX_ID),
  version: textOfElement(element['version'], MAX_ID),
})

const childrenOf = (element: Members, list: string, name: string): Members[] =>
  elementsOf(members(element[list])[name])
    .slice(0, MAX_ENTRIES)
    .map((one) => members(one))
