import { commandLine } from '../subjects/users/index.ts'
import { constants } from 'node:os'
import { type App, createApp } from '../app.ts'
import { randomPassword } from '../platform/crypto/crypto.ts'
import { favourSpeed, releaseWhenQuiet } from '../platform/process/heap.ts'
import type { CommandInput } from './command.ts'

type Signal = 'SIGINT' | 'SIGTERM'

/** Runs the server until SIGINT or SIGTERM; a second signal ends it at once. */
export async function serve({ config, print }: CommandInput): Promise<number> {
  const stopped = nextSignal()
  const app = await createApp(config())
  try {
    await app.listen()
    app.background.start()
    favourSpeed()
    releaseWhenQuiet()
    print(await welcome(app))
    const signal = await stopped
    app.log.info({ signal }, 'stopping: running requests and transfers may finish')
    void nextSignal().then((second) => process.exit(128 + constants.signals[second]))
  } finally {
    await app.close()
  }
  return 0
}

function nextSignal(): Promise<Signal> {
  return Promise.race(
    (['SIGINT', 'SIGTERM'] as const).map(
      (name) => new Promise<Signal>((resolve) => process.once(name, () => resolve(name))),
    ),
  )
}

/** Says where the server is and, when there is no user yet, makes the first administrator. */
async function welcome(app: App): Promise<string> {
  const url = app.site.rootUrl()
  const lines = [`Ingot is listening at ${url}`]
  if ((await app.users.count()) === 0) {
    const password = randomPassword(app.config.security.min_password_length)
    await app.users.create(commandLine, { name: 'admin', email: 'admin@localhost', password, isAdmin: true })
    lines.push(
      '',
      `Made the first administrator:   admin   password: ${password}`,
      'The password is shown this once. Next:',
      `  curl -u admin:${password} -H 'content-type: application/json' -d '{"name":"hello","auto_init":true}' ${url}/api/v1/user/repos`,
      `  git clone ${url}/admin/hello.git`,
    )
  }
  if (app.config.api.enable_swagger) lines.push('', `API reference: ${url}/api/swagger`)
  return lines.join('\n')
}
