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
