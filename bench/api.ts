import type { OutgoingHttpHeaders } from 'node:http'
import type { Target } from './system/target.ts'

export const tokenHeaders = (target: Pick<Target, 'token'>): OutgoingHttpHeaders => ({
  authorization: `token ${target.token}`,
})

export const basicHeaders = (name: string, password: string): OutgoingHttpHeaders => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** One API request; `path` begins after /api/v1. */
export async function callApi(
  url: string,
  request: { method?: string; path: string; headers: OutgoingHttpHeaders; body?: unknown },
): Promise<Answer> {
  const answer = await fetch(`${url}/api/v1${request.path}`, {
    method: request.method ?? 'GET',
    headers: { ...(request.headers as Record<string, string>), 'content-type': 'application/json' },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') === true
  return { status: answer.status, body: isJson && text !== '' ? JSON.parse(text) : text }
}

/** The body of an answer that has to be a success. */
export async function requireApi<T>(url: string, request: Parameters<typeof callApi>[1]): Promise<T> {
  const { status, body } = await callApi(url, request)
  if (status < 200 || status > 299)
    throw new Error(`${request.method ?? 'GET'} ${request.path} answered ${status}: ${JSON.stringify(body)}`)
  return body as T
}

/** Environment of a git client that signs in, out of sight of the process list. */
export function gitLogin(target: Target): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: ${basicHeaders(target.login, target.token)['authorization'] as string}`,
  }
}
