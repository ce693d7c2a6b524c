import { randomUUID } from 'node:crypto'
import { flag } from '../../../db/flag.ts'
import { isValidTagName, tagRef } from '../../../git/index.ts'
import type { Clock } from '../../../platform/clock.ts'
import { isDomainError } from '../../../platform/errors.ts'
import type { UserId } from '../../../platform/ids.ts'
import { type AttachmentHold, type Attachments, insertAttachment, type UploadRules } from '../../attachments/index.ts'
import { cutTitle, insertRelease } from '../../releases/index.ts'
import { isHttpUrl } from '../../users/index.ts'
import type { ImportContext, ImportPart } from '../import-part.ts'
import type { Source, SourceAsset, SourceRelease } from '../source.ts'

interface ReleasesPartDeps {
  readonly attachments: Attachments
  readonly rules: UploadRules
  readonly clock: Clock
  /** Publisher of all of them. */
  readonly importerId: UserId
}

interface Kept {
  readonly release: SourceRelease
  readonly assets: readonly KeptAsset[]
}

type KeptAsset = SourceAsset &
  ({ readonly kind: 'link' } | { readonly kind: 'file'; readonly hash: string; readonly size: number })

/**
 * Releases with their files. What this server does not allow (names, types, sizes of files) is left out with a warning;
 * what the other server does not give fails the import. A release whose tag is not there becomes a draft, as when a tag
 * is deleted.
 */
export function releasesPart(source: Source, { attachments, rules, clock, importerId }: ReleasesPartDeps): ImportPart {
  return async (context) => {
    const { repo, signal, warn, onEnd } = context
    const hold = attachments.hold()
    onEnd(() => hold.release())
    const tags = await repo.refs.snapshot()
    const kept = new Map<string, Kept>()
    for await (const page of source.releases(signal)) {
      for (const release of page) {
        const key = release.tag.toLowerCase()
        if (!isValidTagName(release.tag))
          warn(`a release was not imported: ${JSON.stringify(release.tag)} is no name of a tag`)
        else if (kept.has(key)) warn(`a release was not imported: there is another one with the tag ${release.tag}`)
        else kept.set(key, { release, assets: await keepAssets(source, release, { ...context, hold, rules }) })
      }
    }
    return async (tx, repoId) => {
      const now = clock.now()
      // The newest comes first from services, and gets the highest id here.
      for (const { release, assets } of [...kept.values()].toReversed()) {
        const { tag, target, title, body, isDraft, isPrerelease, createdAt = now } = release
        const made = await insertRelease(tx, {
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
          const place = {
            uuid: randomUUID(),
            repo_id: repoId,
            release_id: made.id,
            issue_id: 0,
            comment_id: 0,
            uploader_id: importerId,
          }
          const content = asset.kind === 'file' ? { size: asset.size, hash: asset.hash } : { external_url: asset.url }
          await insertAttachment(tx, {
            ...place,
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

interface Keeping extends ImportContext {
  readonly hold: AttachmentHold
  readonly rules: UploadRules
}

async function keepAssets(
  source: Source,
  release: SourceRelease,
  { hold, rules, signal, warn, spend }: Keeping,
): Promise<KeptAsset[]> {
  const kept: KeptAsset[] = []
  for (const asset of release.assets) {
    const refuse = (reason: string): void =>
      warn(`the file ${JSON.stringify(asset.name)} of the release ${release.tag} was not imported: ${reason}`)
    if (asset.kind === 'link') {
      if (isHttpUrl(asset.url)) kept.push({ ...asset, kind: 'link' })
      else refuse('its address is none')
      continue
    }
    try {
      const { hash, size } = await source.download(asset, signal, (bytes) =>
        hold.keep({ name: asset.name, source: metered(bytes, spend) }, { rules, refusal: 'invalid' }),
      )
      kept.push({ ...asset, kind: 'file', hash, size })
    } catch (error) {
      if (!isDomainError(error)) throw error
      refuse(error.message)
    }
  }
  return kept
}

async function* metered(
  bytes: AsyncIterable<Buffer>,
  spend: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of bytes) {
    spend(chunk.length)
    yield chunk
  }
}
