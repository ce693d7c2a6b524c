import { randomUUID } from 'node:crypto'
import type { Services } from '../../../../core/module.ts'
import { isHttpUrl } from '../../../../core/platform/html.ts'
import { flag } from '../../../../core/db/flag.ts'
import { isValidTagName, tagRef } from '../../../../core/git/index.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { type AttachmentHold, type UploadRules, attachmentQueries } from '../../../repositories/index.ts'
import { cutTitle, releaseQueries } from '../../../code/index.ts'
import type { ImportContext, ImportPart } from '../read-request.ts'
import type { Source, SourceAsset, SourceRelease } from '../source.ts'

interface ReleasesPartDeps {
  readonly attachments: Services['attachments']
  readonly rules: UploadRules
  readonly clock: Clock
  /** The publisher of the imported releases. */
  readonly importerId: UserId
}

interface Fetched {
  readonly release: SourceRelease
  readonly assets: readonly FetchedAsset[]
}

type FetchedAsset = SourceAsset &
  ({ readonly kind: 'link' } | { readonly kind: 'file'; readonly hash: string; readonly size: number })

/**
 * Imports releases with their files. Skips files with a forbidden name, type or size with a warning; the import fails
 * if a file cannot be downloaded. A release without its tag becomes a draft, as when a tag is deleted.
 */
export function releasesPart(source: Source, { attachments, rules, clock, importerId }: ReleasesPartDeps): ImportPart {
  return async (context) => {
    const { repo, signal, warn, onEnd } = context
    const hold = attachments.hold()
    onEnd(() => hold.release())
    const tags = await repo.refs.snapshot()
    const fetched = new Map<string, Fetched>()
    for await (const page of source.releases(signal)) {
      for (const release of page) {
        const key = release.tag.toLowerCase()
        if (!isValidTagName(release.tag))
          warn(`a release was not imported: ${JSON.stringify(release.tag)} is no name of a tag`)
        else if (fetched.has(key)) warn(`a release was not imported: there is another one with the tag ${release.tag}`)
        else fetched.set(key, { release, assets: await fetchAssets(source, release, { ...context, hold, rules }) })
      }
    }
    return async (tx, repoId) => {
      const now = clock.now()
      // Services list the newest release first; it gets the highest id.
      for (const { release, assets } of [...fetched.values()].toReversed()) {
        const { tag, target, title, body, isDraft, isPrerelease, createdAt = now } = release
        const made = await releaseQueries.insert(tx, {
          repo_id: repoId,
          publisher_id: importerId,
          tag_name: tag,
          lower_tag_name: tag.toLowerCase(),
          target,
          title: cutTitle(title),
          body,
          is_draft: flag(isDraft || tags.get(tagRef(tag)) === undefined),
          is_prerelease: flag(isPrerelease),
          created_at: createdAt,
          updated_at: createdAt,
        })
        for (const asset of assets) {
          const owner = {
            uuid: randomUUID(),
            repo_id: repoId,
            release_id: made.id,
            issue_id: 0,
            comment_id: 0,
            uploader_id: importerId,
          }
          const content = asset.kind === 'file' ? { size: asset.size, hash: asset.hash } : { external_url: asset.url }
          await attachmentQueries.insert(tx, {
            ...owner,
            ...content,
            name: asset.name,
            download_count: asset.downloads,
            created_at: asset.createdAt ?? createdAt,
          })
        }
      }
    }
  }
}

interface FetchContext extends ImportContext {
  readonly hold: AttachmentHold
  readonly rules: UploadRules
}

async function fetchAssets(
  source: Source,
  release: SourceRelease,
  { hold, rules, signal, warn, countBytes }: FetchContext,
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
