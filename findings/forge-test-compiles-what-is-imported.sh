#!/usr/bin/env bash
# Packages: @foundry-rs/forge 1.7.1 (its binary for this platform) and solc 0.8.30 (npm).
# Behaviour: `forge test` compiles all files of tests, but with a filter, were it one that leaves out
# nothing (`no_match_test` in foundry.toml too), only those with tests and what they import. A helper
# that a test deploys by its name alone (vm.getCode, vm.deployCode) is missing then, until something
# without a filter was compiled: whether the test is red depends on what ran before.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @foundry-rs/forge@1.7.1 @foundry-rs/forge-linux-amd64@1.7.1 solc@0.8.30 >/dev/null
forge=$(find node_modules/@foundry-rs/forge-linux-amd64 -type f -name 'forge*' -path '*bin*' | head -1)
cat > solc.sh <<'SOLC'
#!/bin/sh
if [ "$1" = --version ]; then echo "Version: 0.8.30+npm"; exit; fi
exec node -e "process.stdout.write(require('$PWD/node_modules/solc').compile(require('fs').readFileSync(0, 'utf8')))"
SOLC
chmod +x solc.sh
cat > foundry.toml <<'TOML'
[profile.default]
solc = "./solc.sh"
offline = true
TOML
mkdir -p src test/support
echo 'pragma solidity 0.8.30; contract Kept {}' > src/Kept.sol
echo 'pragma solidity 0.8.30; contract Helper {}' > test/support/Helper.sol
cat > test/ByName.t.sol <<'SOL'
pragma solidity 0.8.30;
interface Vm { function getCode(string calldata name) external view returns (bytes memory); }
contract ByNameTest {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    function test_FindsItsCode() external view { require(vm.getCode("Helper.sol:Helper").length > 0); }
}
SOL
say() { echo "$1: $("$forge" test --no-match-test nothing 2>&1 | grep -oE '\[(PASS|FAIL[^]]*)\]' | head -1)"; }
{
  say 'with a filter'
  "$forge" build >/dev/null 2>&1
  say 'with a filter, after forge build'
} | tee seen
diff seen - <<'SEEN'
with a filter: [FAIL: vm.getCode: no matching artifact found]
with a filter, after forge build: [PASS]
SEEN
