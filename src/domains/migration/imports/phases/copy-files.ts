import type { Clock } from '../../../../core/platform/clock.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { UploadRules } from '../../../repositories/index.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceAsset } from '../source.ts'
import { boundedBody } from './clean-values.ts'
import { type CopiedFile, fetchFile } from './fetch-file.ts'

export interface FileDeps {
  readonly clock: Clock
  readonly site: Site
  readonly issueRules: UploadRules
}

/** An object with a text and files. */
interface Copied {
  /** The object in warnings, such as `issue 5`. */
  readonly what: string
  readonly body: string
  readonly assets: readonly SourceAsset[]
  readonly createdAt: number
}

const MAX_FILES = 100

/**
 * Copies the files of an object and those that its text links to, and returns the text with the addresses of the copies
 * and the numbers of this server. A file that cannot be copied is omitted with a warning; its address remains in the
 * text. Throws what `fetchFile` throws.
 */
export async function copyFiles(
  deps: FileDeps,
  context: PhaseContext,
  { what, createdAt, ...object }: Copied,
): Promise<{ readonly body: string; readonly files: readonly CopiedFile[] }> {
  const body = boundedBody(context, what, object.body)
  const byUrl = Map.groupBy([...object.assets, ...context.source.filesIn(body)], ({ url }) => url)
  if (byUrl.size > MAX_FILES) context.warn(`only ${MAX_FILES} of the ${byUrl.size} files of ${what} were imported`)
  const files: CopiedFile[] = []
  const addresses = new Map<string, string>()
  for (const same of [...byUrl.values()].slice(0, MAX_FILES)) {
    const file = await fetchFile(deps, context, { what, createdAt, asset: same[0]!, rules: deps.issueRules })
    if (file === undefined) continue
    files.push(file)
    for (const { textUrl = '' } of file.external_url === '' ? same : [])
      if (textUrl !== '') addresses.set(textUrl, `${deps.site.rootUrl()}/attachments/${file.uuid}`)
  }
  const rewritten = context.source.rewriteReferences(replaceAddresses(body, addresses))
  return { body: boundedBody(context, what, rewritten), files }
}

/** Replaces longer addresses first, and a path only where no longer address ends in it. */
function replaceAddresses(text: string, addresses: ReadonlyMap<string, string>): string {
  if (addresses.size === 0) return text
  const patterns = [...addresses.keys()]
    .toSorted((a, b) => b.length - a.length)
    .map((address) => `${address.startsWith('/') ? String.raw`(?<![\w.~%:/-])` : ''}${RegExp.escape(address)}`)
  return text.replaceAll(new RegExp(patterns.join('|'), 'g'), (address) => addresses.get(address)!)
}
