import type { Database, Db, Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { isValidTagName, type RefSnapshot, tagRef } from '../../../../core/git/index.ts'
import { PAGE_LENGTH, PATH_LENGTH } from '../../../../core/http/body/limits.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import { cutTitle, releaseQueries } from '../../../code/index.ts'
import { attachmentQueries, type UploadRules } from '../../../repositories/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourceRelease } from '../source.ts'
import { batchesAfter } from './batches.ts'
import { authorOf, boundedText, cleanText, pastTime } from './clean-values.ts'
import { type CopiedFile, fetchFile } from './fetch-file.ts'

interface ReleasesPhaseDeps {
  /** Rules for files of releases. */
  readonly releaseRules: UploadRules
  readonly clock: Clock
  readonly database: Pick<Database, 'read'>
}

interface Fetched {
  readonly release: SourceRelease
  readonly files: readonly CopiedFile[]
}

/** Kind of key in `import_key`: releases by their tags in lower case. */
const KEY = 'release'

/**
 * Imports releases with their files. A release without its tag becomes a draft, as when a tag is deleted. The cursor is the
 * number of releases that were read.
 */
export const releasesPhase = ({ releaseRules, clock, database }: ReleasesPhaseDeps): ImportPhase => ({
  name: 'releases',
  isWanted: ({ parts }) => parts.has('releases'),
  async *steps(context, cursor) {
    const tags = await context.repo.refs.snapshot()
    const pages = context.source.releases(context.signal)
    for await (const { batch, read } of batchesAfter(pages, Number(cursor), ({ body }) => body.length)) {
      const fetched: Fetched[] = []
      for (const release of batch.filter(({ tag }) => isTag(context, tag)))
        if (!(await isKnown(database.read, context, release)))
          fetched.push({ release, files: await fetchFiles({ clock, releaseRules }, context, release) })
      const at = clock.now()
      yield {
        cursor: String(read),
        count: batch.length,
        write: (tx) => writeReleases(tx, context, { fetched, tags, at }),
      }
    }
  },
})

/** An import of changes leaves the releases that are there. */
const isKnown = async (db: Db, { request, repoId }: PhaseContext, { tag }: SourceRelease): Promise<boolean> =>
  request.changed !== undefined && (await releaseQueries.findByTag(db, repoId, tag)) !== undefined

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
  for (const { release, files } of fetched.toReversed()) {
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
    for (const file of files)
      await attachmentQueries.insert(tx, {
        ...file,
        repo_id: repoId,
        release_id: id,
        issue_id: 0,
        comment_id: 0,
        uploader_id: userId,
      })
  }
  await keys.set(tx, KEY, known)
}

const keyOf = ({ tag }: SourceRelease): string => tag.toLowerCase()

async function fetchFiles(
  { clock, releaseRules: rules }: Omit<ReleasesPhaseDeps, 'database'>,
  context: PhaseContext,
  { tag, assets, ...release }: SourceRelease,
): Promise<CopiedFile[]> {
  const createdAt = pastTime(release.createdAt, clock.now())
  const files: CopiedFile[] = []
  for (const asset of assets) {
    const file = await fetchFile({ clock }, context, { asset, what: `the release ${tag}`, createdAt, rules })
    if (file !== undefined) files.push(file)
  }
  return files
}
