import { basicHeaders, callApi, requireApi, tokenHeaders } from '../api.ts'
import type { OwnServer, Target } from '../system/target.ts'

const USERS = 10
/** More than one page of 50, so that lists are full. */
const REPOS = 60
const PASSWORD = 'bench-password-1'

/** Names of this run: they distinguish its repositories from those that another server already has. */
export interface SeedData {
  readonly prefix: string
  readonly small: string
  readonly large: string
  /** Repositories made so far, for putting away. */
  readonly made: string[]
  readonly orgs: string[]
}

/** Users on a server that the run started; the first of them does the work. */
export async function signUp({ url, adminPassword }: OwnServer): Promise<Omit<Target, 'url' | 'takePushTime'>> {
  if (adminPassword === undefined) throw new Error('the server printed no password of its first administrator')
  const headers = basicHeaders('admin', adminPassword)
  for (let i = 0; i < USERS; i++) {
    const body = {
      username: `bench-${i}`,
      email: `bench-${i}@example.org`,
      password: PASSWORD,
      must_change_password: false,
    }
    await requireApi(url, { method: 'POST', path: '/admin/users', headers, body })
  }
  const login = 'bench-0'
  const { sha1: token } = await requireApi<{ sha1: string }>(url, {
    method: 'POST',
    path: `/users/${login}/tokens`,
    headers: basicHeaders(login, PASSWORD),
    body: { name: 'bench', scopes: ['all'] },
  })
  return { name: 'ingot', login, token, password: PASSWORD }
}

/** The account behind the token of another server. */
export async function signIn({ url, token }: { url: string; token: string }): Promise<Target> {
  const { login } = await requireApi<{ login: string }>(url, { path: '/user', headers: tokenHeaders({ token }) })
  return { name: url, url, login, token, password: undefined }
}

/** Repositories that any server has to make through its API. */
export async function seed(target: Target, run: string): Promise<SeedData> {
  const prefix = `bench-${run}`
  const made: string[] = []
  const create = async (name: string, autoInit: boolean): Promise<string> => {
    await requireApi(target.url, {
      method: 'POST',
      path: '/user/repos',
      headers: tokenHeaders(target),
      body: { name, auto_init: autoInit, default_branch: 'main' },
    })
    made.push(name)
    return name
  }
  for (let i = 0; i < REPOS; i++) await create(smallRepo(prefix, i), true)
  return { prefix, made, orgs: [], small: smallRepo(prefix, 0), large: await create(`${prefix}-large`, false) }
}

export const smallRepo = (prefix: string, i: number): string => `${prefix}-small-${i}`

/** Deletes the run's repositories and organizations from a server that continues to run. */
export async function cleanup(target: Target, { made, orgs }: SeedData): Promise<void> {
  const headers = tokenHeaders(target)
  for (const name of made)
    await callApi(target.url, { method: 'DELETE', path: `/repos/${target.login}/${name}`, headers })
  for (const name of orgs) await callApi(target.url, { method: 'DELETE', path: `/orgs/${name}`, headers })
}
