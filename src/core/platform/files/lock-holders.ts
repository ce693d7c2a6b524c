import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'

const LOCK = /^\d+: .*? (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /gm

/** The other processes with a lock on a file, as Linux lists them (proc_locks(5)); none on other systems. */
export function listLockHolders(path: string): number[] {
  try {
    const [file, inode] = [realpathSync(path), String(statSync(path).ino)]
    const pids = [...readFileSync('/proc/locks', 'utf8').matchAll(LOCK)]
      .filter(([, , locked]) => locked === inode)
      .map(([, pid]) => Number(pid))
    return [...new Set(pids)].filter((pid) => pid !== process.pid && hasOpen(pid, file)).toSorted((a, b) => a - b)
  } catch {
    return []
  }
}

/** NOTE: files of two file systems may have the same inode number. */
function hasOpen(pid: number, file: string): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((name) => linkOf(`${folder}/${name}`) === file)
  } catch {
    return false // ended, of another user, or outside of this container
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined // closed in the meantime
  }
}
