import { describe, expect, it } from 'vitest'
import { readSystemNote } from './gitlab-notes.ts'
import { labelName, renumber } from './gitlab-text.ts'

describe('references to merge requests', () => {
  it.each([
    ['see !2, (!13) and !1.', 'see !12, (!23) and !11.'],
    ['!1', '!11'],
    ['see group/sub/app!1, Group/Sub/App!2 and x/group/sub/app!1', 'see !11, !12 and x/group/sub/app!1'],
    ['group/app!1 a!1 !1a http://x/!1 ![x](y) !! !=1', 'group/app!1 a!1 !1a http://x/!1 ![x](y) !! !=1'],
    ['`!1` !1 ``a ` !1`` !1', '`!1` !11 ``a ` !1`` !11'],
    ['`open !1', '`open !11'],
    ['```\n!1\n```\n!1', '```\n!1\n```\n!11'],
    ['~~~ sh\n!1\n```\n!1\n~~~~\n!1', '~~~ sh\n!1\n```\n!1\n~~~~\n!11'],
    ['```\n!1', '```\n!1'],
  ])('in %j become %j', (text, expected) => {
    expect(renumber(text, { offset: 10, path: 'group/sub/app' })).toBe(expected)
    expect(renumber(text, { offset: 0, path: 'group/sub/app' })).toBe(text)
  })

  it('are found in linear time', () => {
    const begin = performance.now()
    for (const part of ['a/', 'a/b', '`', '``a`', '!1', '!', '\n```', '~~~'])
      expect(renumber(part.repeat(200_000), { offset: 1, path: 'a/b' }).length).toBeGreaterThan(0)
    expect(performance.now() - begin).toBeLessThan(10_000)
  })
})

it.each([
  ['mentioned in issue #3', { kind: 'issue_ref', from: 3 }],
  ['mentioned in merge request !2', { kind: 'pull_ref', from: 12 }],
  [`mentioned in commit ${'a'.repeat(40)}`, { kind: 'commit_ref', oid: 'a'.repeat(40) }],
  [
    'changed title from **A {-small-} desk** to **A {+large+} desk**',
    { kind: 'change_title', old: 'A small desk', new: 'A large desk' },
  ],
  ['changed target branch from `main` to `next`', { kind: 'change_target_branch', old: 'main', new: 'next' }],
  ['locked the discussion in this merge request', { kind: 'lock' }],
  ['unlocked this issue', { kind: 'unlock' }],
  ['mentioned in issue group/other#3', undefined],
  ['added 2 commits', undefined],
])('the note %j of GitLab itself is an event', (body, expected) => {
  expect(readSystemNote(body, 10)).toEqual(expected === undefined ? [] : [expected])
})

it('scoped labels become exclusive labels', () => {
  expect(['kind::bug', 'a::b::c', 'plain', '::x', 'a/b'].map(labelName)).toEqual([
    'kind/bug',
    'a::b/c',
    'plain',
    '::x',
    'a/b',
  ])
})
