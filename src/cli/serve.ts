import { randomBytes } from 'node:crypto'
import { createApp, type App } from '../app.ts'
import type { Config } from '../config/index.ts'

/** Runs the server until SIGINT or SIGTERM; gives the exit code. */
export async function serve(config: Config): Promise<number> {
  const app = await createApp(config)
  await app.listen()
  app.background.start()
  await welcome(app)
  const signal = await Promise.race(['SIGINT', 'SIGTERM'].map((name) => new Promise<string>((resolve) => process.once(name, () => resolve(name)))))
  app.log.info({ signal }, 'stopping')
  await app.close()
  return 0
}

/** Says where the server is and, when there is no user yet, makes the first administrator. */
async function welcome(app: App): Promise<void> {
  const lines = [`Ingot is listening at ${app.site.rootUrl()}`]
  if ((await app.users.count()) === 0) {
    const password = randomBytes(12).toString('base64url')
    await app.users.create(0, { name: 'admin', email: 'admin@localhost', password, isAdmin: true })
    lines.push('', `Made the first administrator:   admin   password: ${password}`, 'It is shown this once. Change it with: npm run -s ingot -- admin user change-password --username admin')
  }
  lines.push('', `API reference: ${app.site.rootUrl()}/api/swagger`)
  console.log(lines.join('\n'))
}
