import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { countArchiveDownload, loadArchiveDownloads } from '../archives/archive-download.store.ts'
import {
  countDownload,
  deleteAttachmentsOf,
  findAttachment,
  insertAttachment,
  isBlobAttached,
  listAttachmentsOf,
} from '../../repositories/attachments/attachment.store.ts'
import {
  deleteRelease,
  findLatestRelease,
  findReleaseByTag,
  insertRelease,
  listReleases,
  type Release,
  updateRelease,
} from './release.store.ts'
import { findRepoById } from '../../repositories/repos/repo.store.ts'
import { insertRepo, insertUser } from '../../../../test/harness/rows.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../test/harness/databases.ts'

describeOnBoth('releases and their files in the database', (kind) => {
  let db: TestDatabase
  let repoId: RepoId
  const paging = { page: 1, limit: 10, offset: 0 }

  beforeAll(async () => {
    db = await freshDatabase(kind)
    repoId = await db.database.transaction(async (tx) => {
      const owner = await insertUser(tx, {
        kind: 'individual',
        name: 'ann',
        lower_name: 'ann',
        email: 'ann@example.test',
        created_at: 1,
        updated_at: 1,
      })
      return insertRepo(tx, {
        owner_id: owner,
        name: 'r',
        lower_name: 'r',
        default_branch: 'main',
        wiki_branch: 'main',
        object_format: 'sha1',
        storage: 'aa/aaaaaa',
        units: 1,
        created_at: 1,
        updated_at: 1,
      })
    })
  })
  afterAll(() => db.close())

  const add = (tag: string, more: object = {}): Promise<Release> =>
    db.database.transaction((tx) =>
      insertRelease(tx, {
        repo_id: repoId,
        publisher_id: 1,
        tag_name: tag,
        lower_tag_name: tag.toLowerCase(),
        created_at: 5,
        updated_at: 5,
        ...more,
      }),
    )
  const count = async () => (await findRepoById(db.database.read, repoId))!.releasesCount

  it('counts published releases through every change', async () => {
    const one = await add('V1', { title: 'Größe Ü 100%', body: 'notes' })
    const draft = await add('v2', { is_draft: 1, created_at: 9 })
    expect(await count()).toBe(1)
    const published = await db.database.transaction((tx) => updateRelease(tx, draft, { is_draft: 0, is_prerelease: 1 }))
    expect([published.isDraft, await count()]).toEqual([false, 2])
    expect((await findLatestRelease(db.database.read, repoId))?.id).toBe(one.id)
    expect((await findReleaseByTag(db.database.read, repoId, 'v1'))?.id).toBe(one.id)
    const tags = async (filter: object) =>
      (await listReleases(db.database.read, repoId, { includesDrafts: true, ...filter }, paging)).items.map(
        (release) => release.tagName,
      )
    expect([
      await tags({}),
      await tags({ keyword: '100%' }),
      await tags({ keyword: 'Größe Ü' }),
      await tags({ keyword: '1000' }),
      await tags({ keyword: 'NOTES' }),
      await tags({ prerelease: true }),
    ]).toEqual([['v2', 'V1'], ['V1'], ['V1'], [], ['V1'], ['v2']])
    await expect(add('v1')).rejects.toSatisfy((error) => db.database.dialect.isUniqueViolation(error))
    expect(await db.database.transaction((tx) => deleteRelease(tx, published))).toBe(true)
    expect(await db.database.transaction((tx) => deleteRelease(tx, published))).toBe(false)
    expect(await count()).toBe(1)
  })

  it('counts downloads of files, and returns the blobs that became unused', async () => {
    const file = (name: string, hash: string) =>
      db.database.transaction((tx) =>
        insertAttachment(tx, {
          uuid: `${name}-uuid`,
          repo_id: repoId,
          release_id: 7,
          uploader_id: 1,
          name,
          hash,
          created_at: 1,
        }),
      )
    const b = await file('b', 'h1')
    await file('a', 'h1')
    await db.database.transaction((tx) => countDownload(tx, b.id))
    expect((await findAttachment(db.database.read, b.id))?.downloadCount).toBe(1)
    expect((await listAttachmentsOf(db.database.read, 'release', [7, 8])).map((found) => found.name)).toEqual([
      'a',
      'b',
    ])
    expect(await isBlobAttached(db.database.read, 'h1')).toBe(true)
    expect(await db.database.transaction((tx) => deleteAttachmentsOf(tx, 'release', 7))).toEqual(['h1'])
    expect(await isBlobAttached(db.database.read, 'h1')).toBe(false)
  })

  it('counts downloads of archives by tag and kind', async () => {
    for (const download of ['zip', 'tar_gz', 'zip'] as const)
      await db.database.transaction((tx) => countArchiveDownload(tx, { repoId, tag: 'v1', kind: download }))
    expect(await loadArchiveDownloads(db.database.read, repoId, ['v1', 'v2'])).toEqual(
      new Map([['v1', { zip: 2, tarGz: 1 }]]),
    )
  })
})
