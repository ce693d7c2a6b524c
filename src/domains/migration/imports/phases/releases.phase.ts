import { randomUUID } from 'node:crypto'
import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { isValidTagName, type RefSnapshot, tagRef } from '../../../../core/git/index.ts'
import { NAME_LENGTH, PAGE_LENGTH, PATH_LENGTH } from '../../../../core/http/body/limits.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { isHttpUrl } from '../../../../core/platform/html.ts'
import { cutTitle, releaseQueries } from '../../../code/index.ts'
import { attachmentQueries, type UploadRules } from '../../../repositories/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourceAsset, SourceRelease } from '../source.ts'
import { batchesAfter } from './batches.ts'
import { authorOf, boundedText, cleanText, pastTime } from './clean-values.ts'

interface ReleasesPhaseDeps {
  /** Of files of releases. */
  readonly releaseRules: UploadRules
  readonly clock: Clock
}

interface Fetched {
  readonly release: SourceRelease
  readonly assets: readonly FetchedAsset[]
}

type FetchedAsset = SourceAsset &
  ({ readonly kind: 'link' } | { readonly kind: 'file'; readonly hash: string; readonly size: number })

/** In `import_key`: releases by their tags in lower case. */
const KEY = 'release'

/**
 * Imports releases with their files. Skips files with a forbidden name, type or size with a warning; the import fails
 * if a file cannot be downloaded. A release without its tag becomes a draft, as when a tag is deleted. The cursor is the
 * number of releases that were read.
 */
export const releasesPhase = ({ releaseRules, clock }: ReleasesPhaseDeps): ImportPhase => ({
  name: 'releases',
  isWanted: ({ parts }) => parts.has('releases'),
  async *steps(context, cursor) {
    const tags = await context.repo.refs.snapshot()
    const pages = context.source.releases(context.signal)
    for await (const { batch, read } of batchesAfter(pages, Number(cursor), ({ body }) => body.length)) {
      const fetched: Fetched[] = []
      for (const release of batch.filter(({ tag }) => isTag(context, tag)))
        fetched.push({ release, assets: await fetchAssets(context, release, releaseRules) })
      const at = clock.now()
      yield {
        cursor: String(read),
        count: batch.length,
        write: (tx) => writeReleases(tx, context, { fetched, tags, at }),
      }
    }
  },
})

function isTag({ warn }: PhaseContext, tag: string): boolean {
  if (tag.length <= PATH_LENGTH && isValidTagName(tag)) return true
  warn(`a release was not imported: ${JSON.stringify(tag.slice(0, 100))} is no name of a tag`)
  return false
}

interface Written {
  readonly fetched: readonly Fetched[]
  readonly tags: RefSnapshot
  readonly at: number
}

async function writeReleases(tx: Tx, context: PhaseContext, { fetched, tags, at }: Written): Promise<void> {
  const { keys, repoId, warn } = context
  const known = await keys.get(
    tx,
    KEY,
    fetched.map(({ release }) => keyOf(release)),
  )
  // Services list the newest release first; it gets the highest id of its step.
  for (const { release, assets } of fetched.toReversed()) {
    const { tag, target, title, body, isDraft, isPrerelease } = release
    const createdAt = pastTime(release.createdAt, at)
    if (known.has(keyOf(release))) {
      warn(`a release was not imported: there is another one with the tag ${tag}`)
      continue
    }
    const { userId, author } = authorOf(context, release.author)
    const { id } = await releaseQueries.insert(tx, {
      repo_id: repoId,
      publisher_id: userId,
      ...author,
      tag_name: tag,
      lower_tag_name: tag.toLowerCase(),
      target: cleanText(target).slice(0, PATH_LENGTH),
      title: cutTitle(cleanText(title)),
      body: boundedText(context.source.rewriteReferences(body), PAGE_LENGTH, () =>
        warn(`the text of the release ${tag} was cut to ${PAGE_LENGTH} characters`),
      ),
      is_draft: flag(isDraft || tags.get(tagRef(tag)) === undefined),
      is_prerelease: flag(isPrerelease),
      created_at: createdAt,
      updated_at: createdAt,
    })
    known.set(keyOf(release), id)
    for (const asset of assets) {
      await attachmentQueries.insert(tx, {
        uuid: randomUUID(),
        repo_id: repoId,
        release_id: id,
        issue_id: 0,
        comment_id: 0,
        uploader_id: userId,
        ...(asset.kind === 'file' ? { size: asset.size, hash: asset.hash } : { external_url: asset.url }),
        name: cleanText(asset.name).slice(0, NAME_LENGTH),
        download_count: asset.downloads,
        created_at: pastTime(asset.createdAt, at, createdAt),
      })
    }
  }
  await keys.set(tx, KEY, known)
}

const keyOf = ({ tag }: SourceRelease): string => tag.toLowerCase()

async function fetchAssets(
  { source, hold, signal, warn, countBytes }: PhaseContext,
  release: SourceRelease,
  rules: UploadRules,
): Promise<FetchedAsset[]> {
  const fetched: FetchedAsset[] = []
  for (const asset of release.assets) {
    const refuse = (reason: string): void =>
      warn(`the file ${JSON.stringify(asset.name)} of the release ${release.tag} was not imported: ${reason}`)
    if (asset.kind === 'link') {
      if (isHttpUrl(asset.url)) fetched.push({ ...asset, kind: 'link' })
      else refuse('its address is none')
      continue
    }
    try {
      const { hash, size } = await source.download(asset, signal, (bytes) =>
        hold.keep({ name: asset.name, source: counted(bytes, countBytes) }, { rules, refusal: 'invalid' }),
      )
      fetched.push({ ...asset, kind: 'file', hash, size })
    } catch (error) {
      if (!isDomainError(error)) throw error
      refuse(error.message)
    }
  }
  return fetched
}

async function* counted(
  bytes: AsyncIterable<Buffer>,
  countBytes: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of bytes) {
    countBytes(chunk.length)
    yield chunk
  }
}
