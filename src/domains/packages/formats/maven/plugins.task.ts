import { members } from '../../../../core/platform/json-members.ts'
import { elementsOf, parseXml, textOfElement } from '../../../../core/platform/xml.ts'

/** A plugin of a group: `mvn prefix:goal` finds its artifact. */
export interface MavenPlugin {
  readonly artifactId: string
  readonly prefix: string
  readonly name: string
}

const MAX_PLUGINS = 1000
const MAX_TEXT = 255

/** The plugins that an uploaded maven-metadata.xml names. Runs in a child process; throws for invalid metadata. */
export const createTask =
  () =>
  (text: string): MavenPlugin[] => {
    const root = parseXml(text)
    if (root['metadata'] === undefined) throw new Error('maven-metadata.xml has no element "metadata"')
    return elementsOf(members(members(root['metadata'])['plugins'])['plugin'])
      .slice(0, MAX_PLUGINS)
      .map((one) => members(one))
      .map((plugin) => ({
        artifactId: textOfElement(plugin['artifactId'], MAX_TEXT),
        prefix: textOfElement(plugin['prefix'], MAX_TEXT),
        name: textOfElement(plugin['name'], MAX_TEXT),
      }))
  }
