import { expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { ForgeError } from '../../src/domains/migration/imports/forge-error.ts'
import { comment, DAY, FILE, GHOST, issue, label, milestone, person, PNG } from './issue-content.ts'
import { type Content, importInto, importIssues, phaseWorld } from './issue-phase-world.ts'

describeOnBoth('imported issues', (on) => {
  const given = phaseWorld(on)

  it('that are hostile cause warnings, never a failure', async () => {
    const future = Date.now() + 10 * DAY
    const long = 'x'.repeat(2_000_000)
    const { get, warnings } = await importInto(given, 'hostile', {
      content: {
        labels: [
          label('bug', { color: 'red', description: 'd'.repeat(5000) }),
          label('bug'),
          label(' '),
          label('\0' + 'n'.repeat(300)),
        ],
        milestones: [milestone('1'), milestone('1'), milestone('\0', { title: '\0', createdAt: undefined })],
        issues: [
          issue(3, {
            title: ' ',
            body: `${long}\ud800`,
            ref: 'r'.repeat(300),
            labels: ['bug', 'bug', 'no\0ne'],
            milestone: '9',
          }),
          issue(3, { title: 'the same number' }),
          issue(Number.NaN),
          issue(0.5),
          issue(5, {
            createdAt: -62_135_596_800_001,
            updatedAt: 1e300,
            closedAt: Number.NEGATIVE_INFINITY,
            isClosed: true,
          }),
          issue(4, {
            title: 'é'.repeat(300),
            author: person(Number.NaN, '  '),
            createdAt: future,
            updatedAt: Number.NaN,
            dueAt: 1e300,
            pinOrder: 1e300,
            timeEstimate: Number.NaN,
            assets: [
              {
                name: '../../etc/passwd',
                url: 'https://source.test/big',
                kind: 'file',
                downloads: -1,
                createdAt: future,
              },
              { name: 'x', url: 'javascript:alert(1)', kind: 'link', downloads: 0, createdAt: undefined },
            ],
          }),
        ],
        comments: [
          comment(1, 99),
          comment(2, 3, { body: '\0', createdAt: future, updatedAt: 0 }),
          comment(3, Number.NaN),
        ],
        events: [
          { issue: 3, actor: GHOST, createdAt: Number.NaN, kind: 'merge_pull', oid: "'; drop table" },
          { issue: 3, actor: GHOST, createdAt: future, kind: 'add_dependency', other: 99 },
        ],
        times: [
          { id: 1, issue: 99, user: GHOST, seconds: 1, createdAt: 0 },
          { id: 2, issue: 3, user: GHOST, seconds: Number.NaN, createdAt: 0 },
        ],
        dependencies: [
          { issue: 3, dependsOn: 3 },
          { issue: 3, dependsOn: 99 },
        ],
        files: { 'https://source.test/big': `${PNG}${long}` },
      },
    })
    expect(warnings).toEqual([
      'the description of the label "bug" was cut',
      'a second label "bug" was not imported',
      'a label without a name was not imported',
      `the name of the label "${'n'.repeat(255)}" was cut`,
      'the milestone "Milestone 1" was not imported: there is another one with the key 1',
      'the text of issue 3 was cut to 1048576 characters',
      'the branch of issue 3 was cut',
      'unknown labels of issue 3 were not imported: none',
      'the unknown milestone of issue 3 was not imported',
      'issue 3 was not imported: there is another one with its number',
      'the issue with the number NaN was not imported: its number is invalid',
      'the issue with the number 0.5 was not imported: its number is invalid',
      'times of issue 5 that are in the future were imported as now',
      'times of issue 4 that are in the future were imported as now',
      expect.stringContaining('the file "passwd" of issue 4 was not imported: '),
      'the file "x" of issue 4 was not imported: its address is none',
      'the title of issue 4 was cut',
      'times of comment 2 of issue 3 that are in the future were imported as now',
      'comment 1 was not imported: there is no issue 99',
      'comment 3 was not imported: there is no issue NaN',
      'the tracked time 1 of issue 99 was not imported',
      'the tracked time 2 of issue 3 was not imported',
      'a dependency of issue 3 was not imported: there is no issue 99',
    ])
    const three = await get('/issues/3')
    expect(three).toMatchObject({ title: 'issue 3', labels: [{ name: 'bug' }], milestone: null, comments: 1 })
    expect([three.body.length, three.ref.length]).toEqual([1_048_576, 255])
    const five = await get('/issues/5')
    for (const time of [five.created_at, five.updated_at, five.closed_at])
      expect(time).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const four = await get('/issues/4')
    expect(four).toMatchObject({ original_author: 'Ghost', due_date: null, pin_order: 1, time_estimate: 0, assets: [] })
    expect(Date.parse(four.created_at)).toBeLessThanOrEqual(Date.now())
    expect((await get('/milestones')).map(({ title }: Any) => title)).toEqual(['', 'Milestone 1'])
    expect((await get('/issues/3/timeline')).map(({ type }: Any) => type).toSorted()).toEqual(['comment', 'merge_pull'])
    expect(await get('/issues/3/dependencies')).toEqual([])
  })

  it('lack the files that cannot be copied, unless the source limits requests', async () => {
    const { server, ann } = given
    const failing = (error: Error): Partial<Content> => ({
      issues: [issue(1, { body: `see ${FILE} and ${FILE}s` })],
      files: { [FILE]: error, [`${FILE}s`]: PNG },
    })
    const { get, warnings } = await importInto(given, 'lacking', {
      content: failing(new ForgeError('auth', 'no access', 404)),
    })
    expect(warnings).toEqual(['the file "picture" of issue 1 was not imported: no access'])
    const { body, assets } = await get('/issues/1')
    expect(assets).toMatchObject([{ name: 'pictures.png' }])
    expect(body).toBe(`see ${FILE} and ${assets[0].browser_download_url}`)
    const pages = await importInto(given, 'pages', {
      content: {
        issues: [issue(1, { body: `see ${FILE}.pdf` })],
        files: { [FILE]: '\n<!DOCTYPE html><html><title>Sign in</title></html>' },
      },
    })
    expect(pages.warnings).toEqual([
      'the file "picture" of issue 1 was not imported: the other server answered with a web page',
    ])
    expect((await pages.get('/issues/1')).assets).toEqual([])
    const busy = await server.world.repo({ owner: ann, name: 'busy', autoInit: true })
    const content = failing(new ForgeError('busy', 'the other server wants fewer requests', 429))
    await expect(importIssues(given, { content, repo: busy })).rejects.toThrow('fewer requests')
    const small = { content: failing(new Error('unused')), repo: busy, maxBytes: 10 }
    const large = { ...small, content: { ...small.content, files: { [FILE]: PNG } } }
    await expect(importIssues(given, large)).rejects.toThrow('too large')
    expect((await ann.client.get('/repos/ann/busy/issues')).json).toEqual([])
  })
})
