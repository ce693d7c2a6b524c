import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chromiumPath, launchChromium } from '../../harness/chromium.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const README = '# boat\n\n![a picture](pic.png)\n\n[hull](hull/plan.txt)\n\n> [!NOTE]\n> Wind\n\n- [x] sail\n'

describe.skipIf(chromiumPath === undefined)(
  'pages in a real browser',
  () => {
    let server: TestServer
    let browser: Browser
    let page: Page
    const complaints: string[] = []

    beforeAll(async () => {
      server = await startServer()
      const ann = await server.world.user('ann')
      await server.world.repo({ owner: ann, name: 'boat', isPrivate: true, autoInit: true, defaultBranch: 'main' })
      const { sha } = (await ann.client.get('/repos/ann/boat/contents/README.md')).json
      const answer = await ann.client.post('/repos/ann/boat/contents', {
        message: 'Rig it',
        files: [
          { operation: 'update', path: 'README.md', sha, content: btoa(README) },
          { operation: 'create', path: 'pic.png', content: PICTURE },
          { operation: 'create', path: 'hull/plan.txt', content: btoa('one\ntwo\n') },
        ],
      })
      expect(answer.status).toBe(201)
      browser = await launchChromium()
    }, 60_000)
    afterAll(async () => {
      await browser.close()
      await server.close()
    })
    beforeEach(async () => {
      page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
      page.on('console', (message) => void complaints.push(message.text()))
      complaints.length = 0
    })
    afterEach(() => page.context().close())

    it('a user signs in and reads a private repository: README with image, files, commits', async () => {
      await page.goto(`${server.url}/ann/boat`)
      await page.getByRole('heading', { name: 'Not found' }).waitFor()
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByLabel('User name or e-mail address').fill('ann')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${server.url}/ann/boat`)
      complaints.length = 0
      await page.reload()
      await page.getByRole('img', { name: 'a picture' }).waitFor()
      expect(await page.evaluate('document.images[0].naturalWidth')).toBe(1)
      expect(await page.getByRole('main').count()).toBe(1)
      await page.getByRole('link', { name: 'hull', exact: true }).click()
      expect(await page.locator('#L2').textContent()).toBe('two\n')
      await page.getByRole('link', { name: 'Commits' }).click()
      await page.getByRole('link', { name: 'Rig it' }).click()
      await page.getByRole('heading', { name: 'Files changed' }).waitFor()
      await page.getByRole('link', { name: 'Diff' }).click()
      expect(await page.textContent('body')).toContain('diff --git')
      expect(complaints).toEqual([])
    })

    it('is readable in the dark and on a narrow screen', async () => {
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.setViewportSize({ width: 360, height: 640 })
      await page.goto(server.url)
      expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(255, 255, 255)')
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(complaints).toEqual([])
    })
  },
  60_000,
)
