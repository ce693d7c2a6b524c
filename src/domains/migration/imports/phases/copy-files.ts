import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../../core/platform/clock.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { isHttpUrl } from '../../../../core/platform/html.ts'
import { sniffMediaType } from '../../../../core/platform/http/media-type.ts'
import { isOutgoingError } from '../../../../core/platform/outgoing/index.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { UploadRules } from '../../../repositories/index.ts'
import { ForgeError } from '../forge-error.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceAsset } from '../source.ts'
import { boundedBody, cleanText, pastTime } from './clean-values.ts'

export interface FileDeps {
  readonly clock: Clock
  readonly site: Site
  readonly issueRules: UploadRules
}

/** A file of an issue or a comment, whose bytes are stored. */
export interface CopiedFile {
  readonly uuid: string
  readonly name: string
  readonly size: number
  readonly hash: string
  /** Empty for a file. */
  readonly external_url: string
  readonly download_count: number
  readonly created_at: number
}

/** An object with a text and files. */
interface Copied {
  /** In warnings, such as `issue 5`. */
  readonly what: string
  readonly body: string
  readonly assets: readonly SourceAsset[]
  readonly createdAt: number
}

const MAX_FILES = 100

/**
 * Copies the files of an object and those that its text links to, and returns the text with the addresses of the copies
 * and the numbers of this server. A file that cannot be copied is left out with a warning; its address stays in the
 * text. Throws if the service limits requests, and RemoteError for more bytes than an import may have.
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
    const file = await copyFile(deps, context, { what, createdAt, asset: same[0]! })
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

interface Wanted extends Pick<Copied, 'createdAt' | 'what'> {
  readonly asset: SourceAsset
}

async function copyFile(
  deps: FileDeps,
  context: PhaseContext,
  { asset, what, createdAt }: Wanted,
): Promise<CopiedFile | undefined> {
  const name = fileName(asset.name)
  const leaveOut = (reason: string): undefined => {
    context.warn(`the file ${JSON.stringify(name)} of ${what} was not imported: ${reason}`)
  }
  const row = {
    uuid: randomUUID(),
    download_count: Number.isSafeInteger(asset.downloads) ? Math.max(0, asset.downloads) : 0,
    created_at: pastTime(asset.createdAt, deps.clock.now(), createdAt),
  }
  if (asset.kind === 'link')
    return isHttpUrl(asset.url)
      ? { ...row, name, size: 0, hash: '', external_url: asset.url }
      : leaveOut('its address is none')
  if (!deps.issueRules.enabled) return leaveOut('this server has no attachments')
  try {
    return { ...row, ...(await download(deps, context, { ...asset, name })), external_url: '' }
  } catch (error) {
    context.signal.throwIfAborted()
    if (error instanceof ForgeError ? error.kind === 'busy' : !isDomainError(error) && !isOutgoingError(error))
      throw error
    return leaveOut((error as Error).message)
  }
}

const download = (
  { issueRules }: FileDeps,
  { source, hold, signal, countBytes }: PhaseContext,
  asset: SourceAsset,
): Promise<Pick<CopiedFile, 'hash' | 'name' | 'size'>> =>
  source.download(asset, signal, async (bytes) => {
    const iterator = bytes[Symbol.asyncIterator]()
    const first = await iterator.next()
    const head = first.done === true ? Buffer.alloc(0) : first.value
    const name = withExtension(asset.name, head)
    const whole = counted(head, iterator, countBytes)
    const { hash, size } = await hold.keep({ name, source: whole }, { rules: issueRules, refusal: 'invalid' })
    return { hash, size, name }
  })

async function* counted(
  head: Buffer,
  rest: AsyncIterator<Buffer>,
  countBytes: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for (let chunk = head; ;) {
      countBytes(chunk.length)
      yield chunk
      const next = await rest.next()
      if (next.done === true) return
      chunk = next.value
    }
  } finally {
    await rest.return?.()
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'image/gif': '.gif',
  'image/jpeg': '.jpeg',
  'image/png': '.png',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'video/webm': '.webm',
}

/** Services name images in texts by their id; browsers and the allowed types go by the extension. */
const withExtension = (name: string, head: Buffer): string =>
  name.includes('.') ? name : `${name}${EXTENSIONS[sniffMediaType(head)] ?? ''}`

const MAX_NAME_LENGTH = 80

/** The last segment of a name, without control characters; at most 255 bytes with an extension. */
function fileName(name: string): string {
  const segment = cleanText(name)
    .split(/[/\\]/)
    .at(-1)!
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
  const usable = segment === '' || segment === '.' || segment === '..' ? 'file' : segment
  // Four bytes a character at most.
  return Buffer.byteLength(usable) <= 250 ? usable : shortened(usable)
}

function shortened(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : ''
  return `${name.slice(0, MAX_NAME_LENGTH - extension.length)}${extension}`.toWellFormed()
}
