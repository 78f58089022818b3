import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Hex, parseAbi } from 'viem'
import { runFoundry } from './foundry.ts'

/** Describes a part of forge's files in `broadcast/`. */
type Broadcast = {
  transactions: { hash: Hex; contractAddress: Hex | null }[]
  receipts: { status: Hex; transactionHash: Hex }[]
}

export const counterAbi = parseAbi([
  'constructor(uint256 first)',
  'function count() view returns (uint256)',
  'function add(uint256 more)',
  'event Counted(address indexed by, uint256 count)',
  'error NothingToAdd(uint256 count)',
])

const contract = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

contract Counter {
    event Counted(address indexed by, uint256 count);

    error NothingToAdd(uint256 count);

    uint256 public count;

    constructor(uint256 first) {
        count = first;
    }

    function add(uint256 more) external {
        if (more == 0) revert NothingToAdd(count);
        count += more;
        emit Counted(msg.sender, count);
    }
}
`

const script = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Script} from "forge-std/Script.sol";

import {Counter} from "../src/Counter.sol";

contract Deploy is Script {
    function run() external {
        vm.startBroadcast(vm.envUint("PRIVATE_KEY"));
        Counter counter = new Counter(40);
        counter.add(2);
        vm.stopBroadcast();
    }
}
`

const root = fileURLToPath(new URL('../../../', import.meta.url))

// The compiler and forge-std come from npm here: nothing is downloaded.
const settings = `[profile.default]
solc = "${root}scripts/solc"
offline = true
evm_version = "cancun"
auto_detect_remappings = false
remappings = ["forge-std/=${root}node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std/"]
allow_paths = ["${root}node_modules"]
no_storage_caching = true
`

/** Makes a customer's Foundry project in its own folder, and compiles it. */
export async function createCounterProject() {
  const folder = await mkdtemp(join(tmpdir(), 'counter-project-'))
  const forge = (args: readonly string[], environment: Record<string, string> = {}) =>
    runFoundry('forge', args, { folder, environment })
  const readJson = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'))
  await mkdir(join(folder, 'src'))
  await mkdir(join(folder, 'script'))
  await writeFile(join(folder, 'foundry.toml'), settings)
  await writeFile(join(folder, 'src/Counter.sol'), contract)
  await writeFile(join(folder, 'script/Deploy.s.sol'), script)
  await forge(['build'])
  return {
    bytecode: readJson('out/Counter.sol/Counter.json').bytecode.object as Hex,
    forge,
    /** Reads what the last `forge script --broadcast` wrote about chain 31. */
    broadcast: () => readJson('broadcast/Deploy.s.sol/31/run-latest.json') as Broadcast,
    stop: () => rm(folder, { recursive: true, force: true }),
  }
}
