// SPDX-License-Identifier: MIT
// Contract wallets (EIP-1271) and other contracts of the tests. `contracts.json` is the compiled form.
pragma solidity ^0.8.30;

contract Wallet {
  address owner;
  function isValidSignature(bytes32 hash, bytes calldata s) external view returns (bytes4) {
    address signer = ecrecover(hash, uint8(s[64]), bytes32(s[0:32]), bytes32(s[32:64]));
    return signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
  }
}

contract AcceptsAnything {
  function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
    return 0x1626ba7e;
  }
}

contract RefusesAll {
  function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
    if (block.chainid > 0) return 0xffffffff;
    return 0x1626ba7e;
  }
}

contract ValidAtNoGasPrice {
  function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
    require(tx.gasprice == 0);
    return 0x1626ba7e;
  }
}

contract BurnsTenMillionGas {
  function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
    uint256 start = gasleft();
    while (start - gasleft() < 10_000_000) {}
    return 0x1626ba7e;
  }
}

contract NeverReturns {
  function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
    while (block.chainid > 0) {}
    return 0x1626ba7e;
  }
}

contract ReturnsOneMegabyte {
  function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
    assembly {
      mstore(0, shl(224, 0x1626ba7e))
      return(0, 0x100000)
    }
  }
}

contract Forger {
  event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
  event Transfer(address indexed from, address indexed to, uint256 value);
  function forge(address payer, bytes32 nonce, address to, uint256 value) external {
    emit AuthorizationUsed(payer, nonce);
    emit Transfer(payer, to, value);
  }
}

contract Batcher {
  function run(address target, bytes[] calldata calls) external {
    for (uint256 i = 0; i < calls.length; i++) {
      (bool success, ) = target.call(calls[i]);
      require(success);
    }
  }
}
