import type { ImportPart } from './import-part.ts'
import type { ImportDeps, ImportTask, NewImport } from './new-import.ts'
import { labelsPart } from './parts/labels.part.ts'
import { largeFilesPart } from './parts/large-files.part.ts'
import { releasesPart } from './parts/releases.part.ts'
import { repoFactsPart } from './parts/repo-facts.part.ts'
import type { ImportRequest } from './read-request.ts'
import type { Source } from './source.ts'

interface Choice extends Pick<ImportTask, 'actor'> {
  readonly input: NewImport
  readonly request: ImportRequest
  /** Location after redirects. */
  readonly location: Pick<ImportRequest, 'url' | 'credentials'>
}

/** Parts to import besides git data, in the order of fetching. A new part is added here. */
export function chooseParts(deps: ImportDeps, { actor, input, request, location }: Choice): ImportPart[] {
  const { clock, attachments, releaseRules, largeFiles } = deps
  const source = request.interval === undefined ? openSource(deps, request, location) : undefined
  const parts: ImportPart[] = []
  if (source !== undefined) parts.push(repoFactsPart(source, { clock, description: input.description }))
  if (source !== undefined && request.parts.has('labels')) parts.push(labelsPart(source, clock))
  if (source !== undefined && request.parts.has('releases'))
    parts.push(releasesPart(source, { attachments, rules: releaseRules, clock, importerId: actor.account.id }))
  if (request.lfs && largeFiles !== undefined) parts.push(largeFilesPart(largeFiles))
  return parts
}

/** The token is sent only to the server of the requested address, not to a redirect target. */
function openSource(
  { sources }: ImportDeps,
  { forge, token, url }: ImportRequest,
  location: Choice['location'],
): Source | undefined {
  if (forge.open === undefined || !/^https?:/.test(location.url)) return undefined
  return forge.open(sources, { ...location, token: new URL(location.url).origin === new URL(url).origin ? token : '' })
}
