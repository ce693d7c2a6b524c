import type { ImportPart } from './import-part.ts'
import type { ImportDeps, ImportTask, NewImport } from './new-import.ts'
import { labelsPart } from './parts/labels.part.ts'
import { largeFilesPart } from './parts/large-files.part.ts'
import { releasesPart } from './parts/releases.part.ts'
import { repoFactsPart } from './parts/repo-facts.part.ts'
import type { ImportRequest } from './read-request.ts'
import type { Source } from './source.ts'

interface Choice extends Pick<ImportTask, 'viewer'> {
  readonly input: NewImport
  readonly request: ImportRequest
  /** Where the repository was found in the end. */
  readonly place: Pick<ImportRequest, 'url' | 'credentials'>
}

/** What comes beside git data, in the order in which it is fetched. A new kind of thing gets its line here. */
export function chooseParts(deps: ImportDeps, { viewer, input, request, place }: Choice): ImportPart[] {
  const { clock, attachments, releaseRules, largeFiles } = deps
  const source = request.interval === undefined ? openSource(deps, request, place) : undefined
  const parts: ImportPart[] = []
  if (source !== undefined) parts.push(repoFactsPart(source, { clock, description: input.description }))
  if (source !== undefined && request.parts.has('labels')) parts.push(labelsPart(source, clock))
  if (source !== undefined && request.parts.has('releases'))
    parts.push(releasesPart(source, { attachments, rules: releaseRules, clock, importerId: viewer.account.id }))
  if (request.lfs && largeFiles !== undefined) parts.push(largeFilesPart(largeFiles))
  return parts
}

/** The token is sent to the server that the user named and to no other. */
function openSource(
  { sources }: ImportDeps,
  { forge, token, url }: ImportRequest,
  place: Choice['place'],
): Source | undefined {
  if (forge.open === undefined || !/^https?:/.test(place.url)) return undefined
  return forge.open(sources, { ...place, token: new URL(place.url).origin === new URL(url).origin ? token : '' })
}
