import { expect, it } from 'vitest'
import { factsPhase } from '../../src/domains/migration/imports/phases/facts.phase.ts'
import { releasesPhase } from '../../src/domains/migration/imports/phases/releases.phase.ts'
import type { SourceFacts, SourceRelease } from '../../src/domains/migration/imports/source.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { releasesOf } from './forge-world.ts'
import { beginImport, pagesOf, phaseWorld, sourceUser, sourceWith } from './phase-world.ts'

const cat = sourceUser('cat', 7)

const release = (tag: string, more: Partial<SourceRelease> = {}): SourceRelease => ({
  author: cat,
  tag,
  target: 'main',
  title: `Release ${tag}`,
  body: 'notes',
  isDraft: false,
  isPrerelease: false,
  createdAt: 1_500_000_000_000,
  assets: [],
  ...more,
})

const asset = (name: string, more: object = {}) => ({
  name,
  url: `https://files.test/${name}`,
  kind: 'file' as const,
  downloads: 3,
  createdAt: undefined,
  ...more,
})

async function* bytes() {
  yield Buffer.from('bytes')
}

const RULES = { enabled: true, allowedTypes: [], maxBytes: 1000, maxFiles: 5 }

describeOnBoth('the phases of releases and facts', (kind) => {
  const given = phaseWorld(kind)
  const phase = () => releasesPhase({ ...given.server.app, releaseRules: RULES })

  async function createSource(name: string, ...tags: string[]): Promise<void> {
    await given.upstream.create(name)
    for (const tag of tags) await given.upstream.run(name, 'tag', tag)
    await given.upstream.push(name)
  }

  it('import releases with their authors, times, files and drafts', async () => {
    await createSource('full', 'v1', 'v2')
    const source = sourceWith({
      releases: () =>
        pagesOf([
          release('v3', { isDraft: true, createdAt: 1_700_000_000_000 }),
          release('v2', {
            createdAt: 1_600_000_000_000,
            isPrerelease: true,
            assets: [asset('a.txt'), asset('link', { kind: 'link' }), asset('bad', { kind: 'link', url: 'file:///x' })],
          }),
          release('gone', { createdAt: 1_550_000_000_000 }),
          release('v1'),
          release('V1'),
          release('no tag'),
        ]),
      download: (_, __, consume) => consume(bytes()),
    })
    const run = await beginImport(given, { source, name: 'full' })
    await run.run(phase())
    const found = await releasesOf(given.ann, 'full')
    expect(found).toMatchObject([
      { tag_name: 'v3', draft: true, created_at: '2023-11-14T22:13:20Z' },
      {
        tag_name: 'v2',
        draft: false,
        prerelease: true,
        published_at: '2020-09-13T12:26:40Z',
        author: { login: 'ann' },
        original_author: 'cat',
        original_author_id: 7,
      },
      { tag_name: 'gone', draft: true },
      { tag_name: 'v1', name: 'Release v1', body: 'notes', draft: false },
    ])
    expect(found[1].assets).toMatchObject([
      { name: 'a.txt', size: 5, download_count: 3 },
      { name: 'link', browser_download_url: 'https://files.test/link' },
    ])
    expect(run.warnings).toEqual([
      'the file "bad" of the release v2 was not imported: its address is none',
      'a release was not imported: "no tag" is no name of a tag',
      'a release was not imported: there is another one with the tag V1',
    ])
    const rows = await given.server.app.database.read
      .selectFrom('release')
      .select(['original_author', 'original_author_id'])
      .where('repo_id', '=', run.context.repoId)
      .execute()
    expect(new Set(rows.map((row) => `${row.original_author} ${row.original_author_id}`))).toEqual(new Set(['cat 7']))
  })

  it('continue releases after the last step', async () => {
    await createSource('resumed', 'v1', 'v2', 'v3')
    const source = sourceWith({ releases: () => pagesOf(['v3', 'v2', 'v1'].map((tag) => release(tag))) })
    const run = await beginImport(given, { source, name: 'resumed' })
    await run.run(phase(), { steps: 1 })
    expect(run.cursors).toEqual(['2'])
    await run.run(phase(), { from: '2' })
    expect(run.cursors).toEqual(['2', '3'])
    expect(
      (await releasesOf(given.ann, 'resumed')).map((made: { tag_name: string }) => made.tag_name).toSorted(),
    ).toEqual(['v1', 'v2', 'v3'])
    expect(run.warnings).toEqual([])
  })

  it('import description, website and topics, and archive a copy of an archived source', async () => {
    await createSource('facts')
    const facts: SourceFacts = {
      description: 'What it is',
      website: 'https://example.org/',
      topics: ['Git', 'two words'],
      isPrivate: false,
      isArchived: true,
      defaultBranch: 'main',
    }
    const run = await beginImport(given, {
      source: sourceWith({ facts: () => Promise.resolve(facts) }),
      name: 'facts',
    })
    await run.run(factsPhase(given.server.app))
    expect((await given.ann.client.get('/repos/ann/facts')).json).toMatchObject({
      description: 'What it is',
      website: 'https://example.org/',
      topics: ['git'],
      archived: true,
    })
    expect(run.warnings).toEqual(['the new repository is archived, as at the source'])
    await run.run(factsPhase(given.server.app), { from: 'done' })
    expect(run.cursors).toEqual(['done'])
  })
})
