import { describe, expect, it } from 'vitest'
import { withoutHiddenHead } from './repo-events.policy.ts'

const repo = (id: number, more: object = {}, visibility = 'public') => ({
  id,
  private: false,
  internal: false,
  owner: { visibility },
  ...more,
})
const payload = (head: object | null) => ({
  action: 'opened',
  pull_request: { number: 1, base: { repo: repo(1) }, head: { ref: 'topic', repo: head } },
})

describe('the head of a pull request on a stream', () => {
  it.each([repo(1), repo(1, { private: true }), repo(2), null])(
    'is included if all readers of the base may see it: %o',
    (head) => expect(withoutHiddenHead(payload(head))).toEqual(payload(head)),
  )

  it.each([repo(2, { private: true }), repo(2, { internal: true }), repo(2, {}, 'limited')])(
    'omits its repository otherwise: %o',
    (head) => expect(withoutHiddenHead(payload(head))).toEqual(payload(null)),
  )

  it('exists only for pull requests', () => {
    const issue = { action: 'opened', issue: { number: 1 } }
    expect(withoutHiddenHead(issue)).toBe(issue)
  })
})
