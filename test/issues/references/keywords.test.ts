import { describe, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { createIssue, issueWorld } from '../issue-world.ts'
import { pushCommits } from './push-commits.ts'

describe('keywords of commits', () => {
  const settings = {
    'issue.close_keywords': 'Schließt, closes',
    'issue.reopen_keywords': '',
    'issue.close_from_any_branch': 'true',
  }
  const world = issueWorld({ settings })

  it('are those of the configuration, and act on any branch if it says so', async () => {
    const [one, two, three] = [await createIssue(world.ann), await createIssue(world.ann), await createIssue(world.ann)]
    const message = `schließt #${one.number} @1d2h, fixes #${two.number} @1h, closes #${three.number}`
    await pushCommits(world.server, world.wes, [message], { to: 'topic' })
    await world.server.drain()
    const states = await Promise.all(
      [one, two, three].map(
        async ({ number }) => (await world.ann.client.get(`/repos/ann/desk/issues/${number}`)).json.state,
      ),
    )
    expect(states).toEqual(['closed', 'open', 'closed'])
    const booked = (await world.ann.client.get('/repos/ann/desk/times')).json as Any[]
    expect(booked.map(({ user_name: user, time, issue }) => [user, time, issue.number])).toEqual([
      ['wes', 36_000, one.number],
    ])
  })
})
