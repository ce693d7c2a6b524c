#!/usr/bin/env node
import module from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// An older Node.js would stop at TypeScript, or listen and then fail: 26 is the first with `Map.getOrInsertComputed`.
const OLDEST_NODE = 26
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  process.stderr.write(
    `Ingot needs Node.js ${OLDEST_NODE} or newer, this is ${process.versions.node}. "npm ci" brings one along: run "npm start" or "npx ingot ...".\n`,
  )
  process.exit(2)
}

// What the server, its commands and git make is for this user alone: repositories, keys, the database, backups.
process.umask(0o077)

// glibc keeps what is freed, for each thread by itself, and more of it the larger the blocks were: 80 MB after the
// first clones and pushes. It reads these settings only at the start of a process, so a server begins again with them,
// as the same process. An environment that sets them already is left as it is.
// NOTE: with less than some megabytes at the end of its area, each buffer of a large file costs new pages: half of the
// CPU time of a push of a layer.
const malloc = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '8388608' }
const isSet = Object.keys(malloc).some((name) => process.env[name] !== undefined)
// A young generation of a quarter of what V8 allows itself: as many requests, shorter pauses, 50 MB less under load. It
// begins with 2 MB instead of 1, because it does not grow while modules load (below): a sixth less processor time for a
// start, for 2 MB of memory. V8 takes these only from the command line.
const young = (process.env['NODE_OPTIONS'] ?? '').includes('semi-space')
  ? []
  : ['--max-semi-space-size=8', '--min-semi-space-size=2']
// The modules fill this much, so V8 need not mark what they have loaded so far again and again: a quarter less processor
// time for a start. From the first collection on V8 decides by what is alive, so at rest and under load nothing changes.
const old = '--initial-old-space-size=64'
// `node:ffi`, by which freed memory is returned, warns of itself; whoever runs the server can do nothing about it.
const silent = '--disable-warning=ExperimentalWarning'
if (process.argv[2] === 'serve' && process.platform === 'linux' && !isSet && process.execve !== undefined) {
  process.execve(
    process.execPath,
    [process.execPath, ...young, old, silent, ...process.execArgv, ...process.argv.slice(1)],
    {
      ...process.env,
      ...malloc,
    },
  )
}

// A server that has not read its configuration yet has nothing to read again; later, `serve` says what SIGHUP does.
if (process.argv[2] === 'serve') process.on('SIGHUP', () => {})

// Compiled code of earlier starts, types already stripped: a third off the time to start and 20 MB off the memory. It
// is JavaScript because the first TypeScript file would already load the stripper. Where the folder cannot be written
// Node goes without.
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))

// Node.js asks the file system what each of 8,000 imports means: a third of the time to load the server. In a module a
// relative import is the name of a file, and the name of a package means the same for all files of the server.
const packages = new Map()
module.registerHooks({
  resolve(specifier, context, next) {
    const { conditions, parentURL = '' } = context
    if (!conditions.includes('import')) return next(specifier, context)
    if (specifier.startsWith('.')) return { url: new URL(specifier, parentURL).href, shortCircuit: true }
    if (!parentURL.endsWith('.ts')) return next(specifier, context)
    return packages.getOrInsertComputed(specifier, () => ({ ...next(specifier, context), shortCircuit: true }))
  },
})

// While modules load memory goes before speed: what is allocated now the idle server would never free (20 MB). `serve`
// reverses both once it listens.
setFlagsFromString('--semi-space-growth-factor=1')
setFlagsFromString('--optimize-for-size')
await import('./main.ts')
