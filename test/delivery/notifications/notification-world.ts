import { request } from 'node:http'
import { expect } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

/** The threads of a person by their titles with their status, the latest first. */
export async function threadsOf(person: Person, query = '?all=true'): Promise<string[]> {
  const { status, json } = await person.client.get(`/notifications${query}`)
  expect(status, JSON.stringify(json)).toBe(200)
  return json.map((thread: Any) => `${thread.subject.title} ${statusOf(thread)}`)
}

const statusOf = ({ unread, pinned }: Any): string => (pinned ? 'pinned' : unread ? 'unread' : 'read')

/** The thread of a person about an issue of this title. */
export async function threadAbout(person: Person, title: string): Promise<Any> {
  const { json } = await person.client.get('/notifications?all=true')
  return json.find((thread: Any) => thread.subject.title === title)
}

/** Forgets what was before. */
export async function markAll(person: Person): Promise<void> {
  expect((await person.client.put('/notifications?all=true')).status).toBe(205)
}

interface RawAnswer {
  readonly status: number
  readonly type: string | undefined
  readonly json: Any
}

/** A request whose answer is read as it comes: fetch leaves out the body of a 205. */
export function rawRequest(url: string, method: string, path: string, by: Person): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const auth = `${by.name}:${PASSWORD}`
    const call = request(`${url}/api/v1${path}`, { method, auth }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({
          status: answer.statusCode!,
          type: answer.headers['content-type'],
          json: JSON.parse(Buffer.concat(chunks).toString()) as Any,
        }),
      )
    })
    call.on('error', reject)
    call.end()
  })
}
