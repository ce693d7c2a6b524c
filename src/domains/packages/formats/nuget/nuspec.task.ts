import { members, type Members } from '../../../../core/platform/json-members.ts'
import { elementsOf, parseXml, textOfElement } from '../../../../core/platform/xml.ts'

interface NugetDependencies {
  /** Empty for all frameworks. */
  readonly targetFramework: string
  readonly dependencies: readonly { readonly id: string; readonly range: string }[]
}

/** The stored members of the specification of a package. */
export interface Nuspec {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly authors: string
  readonly copyright: string
  readonly description: string
  readonly iconUrl: string
  readonly language: string
  readonly licenseUrl: string
  readonly projectUrl: string
  readonly releaseNotes: string
  readonly summary: string
  readonly tags: string
  readonly requireLicenseAcceptance: boolean
  readonly dependencyGroups: readonly NugetDependencies[]
}

const MAX_TEXT = 4096
const MAX_LONG_TEXT = 35_000
const MAX_GROUPS = 100
const MAX_DEPENDENCIES = 1000

/** Runs in a child process; throws for an invalid specification. */
export const createTask =
  () =>
  (text: string): Nuspec => {
    const specification = parseXml(text.replace(/^\uFEFF/, ''))['package']
    const metadata = members(members(specification)['metadata'])
    const own = (name: string, maxLength = MAX_TEXT): string => textOfElement(metadata[name], maxLength)
    return {
      id: own('id'),
      version: own('version'),
      title: own('title'),
      authors: own('authors'),
      copyright: own('copyright'),
      description: own('description', MAX_LONG_TEXT),
      iconUrl: own('iconUrl'),
      language: own('language'),
      licenseUrl: own('licenseUrl'),
      projectUrl: own('projectUrl'),
      releaseNotes: own('releaseNotes', MAX_LONG_TEXT),
      summary: own('summary'),
      tags: own('tags'),
      requireLicenseAcceptance: own('requireLicenseAcceptance') === 'true',
      dependencyGroups: groupsOf(members(metadata['dependencies'])),
    }
  }

/** Dependencies are in groups, or, in old packages, without one. */
function groupsOf(dependencies: Members): NugetDependencies[] {
  const groups = elementsOf(dependencies['group']).map((one) => members(one))
  const flat = dependencies['dependency'] === undefined ? [] : [dependencies]
  return [...flat, ...groups].slice(0, MAX_GROUPS).map((group) => ({
    targetFramework: textOfElement(group['@targetFramework'], MAX_TEXT),
    dependencies: elementsOf(group['dependency'])
      .slice(0, MAX_DEPENDENCIES)
      .map((one) => members(one))
      .map((one) => ({ id: textOfElement(one['@id'], MAX_TEXT), range: textOfElement(one['@version'], MAX_TEXT) })),
  }))
}
