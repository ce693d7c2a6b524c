// Locks the SQLite file that it is given against writers until it is ended.
import { setInterval } from 'node:timers'
import Sqlite from 'better-sqlite3'

const database = new Sqlite(process.argv[2]!)
database.exec('begin immediate')
console.log('locked')
setInterval(() => {}, 60_000)
