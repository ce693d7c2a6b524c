import { join } from 'node:path'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { basicHeaders } from '../api.ts'
import { getter } from '../endpoints.ts'
import { post, type Attack, type Stage } from './attack.ts'

const PASSWORDS = 150

/** Holds the write lock of the database file until the returned function is called. */
async function lockDatabase({ tempDir, dataDir }: Stage): Promise<() => Promise<void>> {
  const holder = fileURLToPath(new URL('./lock-holder.ts', import.meta.url))
  const child = tempDir.start(process.execPath, [holder, join(dataDir, 'ingot.db')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout!, 'data')
  return () => tempDir.stop(child)
}

export const DATABASE_ATTACKS: readonly Attack[] = [
  {
    name: '150 wrong passwords at once',
    who: 'anonymous',
    beside: 'file',
    requests: ({ target }) =>
      Array.from({ length: PASSWORDS }, (_, i) => getter(target)('/user', basicHeaders(target.login, `wrong-${i}`))()),
  },
  {
    name: 'a write while another process locks SQLite',
    who: 'operator',
    hold: lockDatabase,
    requests: (stage) => [
      post(stage, '/user/repos', { token: stage.target.token, body: JSON.stringify({ name: 'while-locked' }) }),
    ],
  },
]
