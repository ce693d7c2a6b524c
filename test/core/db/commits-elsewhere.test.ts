import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Schema } from '../../../src/core/db/schema.ts'
import type { Connections } from '../../../src/core/db/dialect/dialect.ts'
import type { Any, Client, Response } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { statementsOf, withSteadySnapshot } from '../../harness/statements.ts'
import { comment, createIssue, issueWorld } from '../../issues/issue-world.ts'

interface Case {
  readonly path: string
  /** What another process commits. */
  readonly change: string
  readonly seen: (answer: Response<Any>) => unknown
  readonly before: unknown
  readonly after: unknown
  /** Signs in with the password. */
  readonly basic?: boolean
  /** Statements that a repeated read sends, 0 by default. */
  readonly uncached?: number
}

const DESK = '/repos/ann/desk'
const logins = ({ json }: Response<Any>): string[] => (json.data ?? json).map((user: { login: string }) => user.login)
const names = ({ json }: Response<Any>): string[] => (json.data ?? json).map((repo: { name: string }) => repo.name)
const bodies = ({ json }: Response<Any>): string[] => json.map((entry: { body: string }) => entry.body)
const status = (answer: Response<Any>): number => answer.status
const total = ({ headers }: Response<Any>): string | null => headers.get('x-total-count')
const firstFollower = `(select user_id from follow order by user_id limit 1)`

const CASES: Readonly<Record<string, Case>> = {
  'followers of an account': {
    path: '/users/ann/followers',
    change: `delete from follow where user_id = ${firstFollower}`,
    seen: logins,
    before: ['wes', 'bob'],
    after: ['bob'],
  },
  'the number of followers': {
    path: '/users/ann/followers?limit=1',
    change: 'delete from follow',
    seen: total,
    before: '1',
    after: '0',
  },
  'accounts that are searched': {
    path: '/users/search?q=wes',
    change: `update "user" set visibility = 'private' where lower_name = 'wes'`,
    seen: logins,
    before: ['wes'],
    after: [],
  },
  stargazers: { path: `${DESK}/stargazers`, change: 'delete from star', seen: logins, before: ['bob'], after: [] },
  'starred repositories': {
    path: '/users/ann/starred',
    change: `insert into star (user_id, repo_id, created_at) select "user".id, repo.id, 1 from "user", repo where "user".lower_name = 'ann' and repo.lower_name = 'desk'`,
    seen: names,
    before: [],
    after: ['desk'],
  },
  watchers: {
    path: `${DESK}/subscribers`,
    change: `update watch set mode = 'ignored' where user_id in (select id from "user" where lower_name = 'ann')`,
    seen: logins,
    before: ['ann'],
    after: [],
  },
  'watched repositories': {
    path: '/users/ann/subscriptions',
    change: `update watch set mode = 'normal' where user_id in (select id from "user" where lower_name = 'ann')`,
    seen: (answer) => names(answer).includes('desk'),
    before: false,
    after: true,
  },
  'repositories that are searched': {
    path: '/repos/search?q=desk',
    change: `update repo set is_private = 1 where lower_name = 'desk'`,
    seen: names,
    before: ['desk'],
    after: [],
  },
  'repositories that are shown again': {
    path: '/repos/search?q=desk',
    change: `update repo set is_private = 0 where lower_name = 'desk'`,
    seen: names,
    before: [],
    after: ['desk'],
  },
  'comments of an issue': {
    path: `${DESK}/issues/1/comments`,
    change: `update timeline_entry set body = 'second' where body = 'first'`,
    seen: bodies,
    before: ['first'],
    after: ['second'],
    uncached: 1,
  },
  'the timeline of an issue': {
    path: `${DESK}/issues/1/timeline`,
    change: `update timeline_entry set body = 'third' where body = 'second'`,
    seen: bodies,
    before: ['second'],
    after: ['third'],
    uncached: 1,
  },
  'authors of commits': {
    path: `${DESK}/commits`,
    change: `update email_address set is_activated = 0`,
    seen: ({ json }) => json[0].author?.login,
    before: 'ann',
    after: undefined,
  },
  'rules of branches': {
    path: `${DESK}/branches`,
    change: `delete from branch_rule`,
    seen: ({ json }) => json[0].protected,
    before: true,
    after: false,
  },
  'one-time codes': {
    path: '/user',
    change: `insert into two_factor (user_id, secret, is_confirmed, last_step, created_at) select id, 'x', 1, 0, 1 from "user" where lower_name = 'bob'`,
    seen: status,
    before: 200,
    after: 401,
    basic: true,
  },
  'no more one-time codes': {
    path: '/user',
    change: 'delete from two_factor',
    seen: status,
    before: 401,
    after: 200,
    basic: true,
  },
  'a password': {
    path: '/user',
    change: `update "user" set password_hash = '' where lower_name = 'bob'`,
    seen: status,
    before: 200,
    after: 401,
    basic: true,
  },
}

describeOnBoth('a commit of another process is seen by the next request for', (kind) => {
  const given = issueWorld({ on: kind })
  let other: Connections<Schema>
  let bob: Client
  beforeAll(async () => {
    const { server, ann, wes } = given
    await ann.client.post(`${DESK}/branch_protections`, { rule_name: 'main' })
    await createIssue(ann)
    await comment(ann, 1, { body: 'first' })
    for (const person of [wes, given.bob]) await person.client.put('/user/following/ann')
    await given.bob.client.put(`/user/starred/ann/desk`)
    bob = await given.bob.withToken('all')
    await server.drain()
    other = server.app.database.dialect.connect<Schema>()
  })
  afterAll(() => other.close())

  it.each(Object.entries(CASES))(
    '%s',
    async (_, { path, change, seen, before, after, basic = false, uncached = 0 }) => {
      const { server } = given
      const client = basic ? given.bob.client : bob
      const ask = (): Promise<Response<Any>> => client.get(path)
      await withSteadySnapshot(server.app.database, async () => {
        expect(seen(await ask())).toEqual(before)
        // Look-ups are cached, the list itself is not.
        expect(await statementsOf(server.app.database, ask)).toHaveLength(uncached)
      })
      await other.write.transaction().execute((tx) => sql.raw(change).execute(tx))
      expect(seen(await ask())).toEqual(after)
    },
  )
})
