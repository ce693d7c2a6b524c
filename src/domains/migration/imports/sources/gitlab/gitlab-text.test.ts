import { describe, expect, it } from 'vitest'
import { labelName, renumber } from './gitlab-text.ts'

describe('references to merge requests', () => {
  it.each([
    ['see !2, (!13) and !1.', 'see !12, (!23) and !11.'],
    ['!1', '!11'],
    ['group/app!1 a!1 !1a http://x/!1 ![x](y) !! !=1', 'group/app!1 a!1 !1a http://x/!1 ![x](y) !! !=1'],
    ['`!1` !1 ``a ` !1`` !1', '`!1` !11 ``a ` !1`` !11'],
    ['`open !1', '`open !11'],
    ['```\n!1\n```\n!1', '```\n!1\n```\n!11'],
    ['~~~ sh\n!1\n```\n!1\n~~~~\n!1', '~~~ sh\n!1\n```\n!1\n~~~~\n!11'],
    ['```\n!1', '```\n!1'],
  ])('in %j become %j', (text, expected) => {
    expect(renumber(text, 10)).toBe(expected)
    expect(renumber(text, 0)).toBe(text)
  })

  it('are found in linear time', () => {
    const begin = performance.now()
    for (const part of ['`', '``a`', '!1', '!', '\n```', '~~~'])
      expect(renumber(part.repeat(200_000), 1).length).toBeGreaterThan(0)
    expect(performance.now() - begin).toBeLessThan(10_000)
  })
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
