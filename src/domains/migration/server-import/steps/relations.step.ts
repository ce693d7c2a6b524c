import { lineOf } from '../../imports/sources/read.ts'
import {
  once,
  part,
  send,
  type ServerContext,
  type ServerStep,
  sourceAccounts,
  sourceList,
  targetName,
} from '../server-context.ts'
import { namesOf } from './organizations.step.ts'
import { targetRepo } from './repositories.step.ts'

export const followsStep: ServerStep = {
  name: 'follows',
  async run(context) {
    for await (const { id, login, name } of sourceAccounts(context, 'account')) {
      const followed = await namesOf(context, `/users/${part(login)}/following`)
      if (followed.length === 0) continue
      await once(context, { kind: 'follows', id, target: name, value: followed }, async () => {
        for (const other of followed) {
          const what = `${login} following ${other}`
          await send(context, { method: 'PUT', path: `/user/following/${part(other)}`, as: name, what })
        }
      })
    }
  },
}

/** Last of the relations: who is blocked cannot follow, star or collaborate. */
export const blocksStep: ServerStep = {
  name: 'blocks',
  async run(context) {
    for await (const { id, login, name } of sourceAccounts(context, 'account')) {
      const blocked = await blockedBy(context, `/user/blocks?sudo=${part(login)}`)
      if (blocked.length === 0) continue
      await once(context, { kind: 'blocks', id, target: name, value: blocked }, async () => {
        for (const other of blocked) {
          const what = `${login} blocking ${other}`
          await send(context, { method: 'PUT', path: `/user/blocks/${part(other)}`, as: name, what })
        }
      })
    }
    for await (const { id, login, name } of sourceAccounts(context, 'organization')) {
      const blocked = await blockedBy(context, `/orgs/${part(login)}/blocks`)
      if (blocked.length === 0) continue
      await once(context, { kind: 'org-blocks', id, target: name, value: blocked }, async () => {
        for (const other of blocked) {
          const path = `/orgs/${part(name)}/blocks/${part(other)}`
          await send(context, { method: 'PUT', path, what: `${login} blocking ${other}` })
        }
      })
    }
  },
}

async function blockedBy(context: ServerContext, path: string): Promise<string[]> {
  const blocked = await sourceList(context, path)
  return blocked.flatMap((user) => targetName(context, lineOf(user['login'])) ?? [])
}

export const starsStep: ServerStep = {
  name: 'stars',
  async run(context) {
    for await (const { id, login, name } of sourceAccounts(context, 'account')) {
      const starred = await sourceList(context, `/users/${part(login)}/starred`)
      const repos = await Promise.all(starred.map((repo) => targetRepo(context, repo)))
      const value = repos.filter((repo) => repo !== undefined)
      if (value.length === 0) continue
      await once(context, { kind: 'stars', id, target: name, value }, async () => {
        for (const { path } of value)
          await send(context, {
            method: 'PUT',
            path: `/user/starred/${path}`,
            as: name,
            what: `star of ${login} on ${path}`,
          })
      })
    }
  },
}
