// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Vm} from "forge-std/Vm.sol";

import {IMicroLoan} from "../../src/IMicroLoan.sol";
import {IRelayForwarder} from "../../src/IRelayForwarder.sol";
import {Base} from "../support/Base.sol";
import {Request, Requests, SignedRequest} from "../support/Requests.sol";

/// @notice A signature check with a second way in, as one slips in with an emergency feature.
contract NaiveJudge {
    address public immutable OWNER;

    constructor(address owner) {
        OWNER = owner;
    }

    function isSigned(address from, bytes32 digest, uint8 v, bytes32 r, bytes32 s)
        external
        view
        returns (bool)
    {
        address signer = ecrecover(digest, v, r, s);
        return signer == from || signer == OWNER;
    }
}

/// @notice Each power is good for what it is meant for alone: as a signer, a borrower or a caller of anything
/// else, who holds one is bound like everybody, and may do what everybody may.
contract BackdoorsTest is Base {
    function test_Naive_TheOwnerSignsForOthers() external {
        NaiveJudge naive = new NaiveJudge(owner);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_powers()[0].privateKey, "digest");
        assertTrue(naive.isSigned(alice.addr, "digest", v, r, s), "signed by the owner");
    }

    function test_NoPowerSignsForAnother() external {
        Vm.Wallet[3] memory powers = _powers();
        for (uint256 i; i < powers.length; ++i) {
            Request memory request = _request(alice.addr, _applyForLoan());
            _assertJudged(_sign(request, powers[i]), IRelayForwarder.Status.BadSignature);
        }
    }

    function test_NobodySignsForAPower() external {
        address[4] memory powers = [owner, guardian, relayer, address(loan)];
        for (uint256 i; i < powers.length; ++i) {
            Request memory request = _request(powers[i], _applyForLoan());
            _assertJudged(_sign(request, alice), IRelayForwarder.Status.BadSignature);
        }
    }

    /// @dev No contract has a key; an account whose code delegates (EIP-7702) has one.
    function test_ATargetSignsForItselfAlone() external {
        vm.etch(carol.addr, hex"00");
        _target(carol.addr);
        Request memory request = _request(alice.addr, _applyForLoan());
        _assertJudged(_sign(request, carol), IRelayForwarder.Status.BadSignature);
        request = _request(carol.addr, _applyForLoan());
        _assertJudged(_sign(request, carol), IRelayForwarder.Status.Executed);
    }

    function test_NoOtherPowerExecutes() external {
        SignedRequest[] memory requests = _batch(_signed(alice, _applyForLoan()));
        address[3] memory others = [owner, guardian, address(loan)];
        for (uint256 i; i < others.length; ++i) {
            vm.prank(others[i], others[i]);
            vm.expectRevert(_error(IRelayForwarder.NotRelayer.selector, others[i]));
            forwarder.execute(Requests.pack(requests));
        }
    }

    function test_APowersRequestsAreJudgedLikeAnyOther() external {
        Vm.Wallet[3] memory powers = _powers();
        for (uint256 i; i < powers.length; ++i) {
            Vm.Wallet memory power = powers[i];
            Request memory request = _request(power.addr, "");
            _assertJudged(_sign(request, power), IRelayForwarder.Status.OutOfBounds);
            request = _request(power.addr, new bytes(1025));
            _assertJudged(_sign(request, power), IRelayForwarder.Status.OutOfBounds);
            request = _request(power.addr, _applyForLoan());
            request.gas = 1_000_001;
            _assertJudged(_sign(request, power), IRelayForwarder.Status.OutOfBounds);
            request = _request(power.addr, _applyForLoan());
            request.deadline = uint40(block.timestamp - 1);
            _assertJudged(_sign(request, power), IRelayForwarder.Status.Expired);
            request.deadline = uint40(block.timestamp + 24 hours + 1);
            _assertJudged(_sign(request, power), IRelayForwarder.Status.DeadlineTooFar);
            request = _request(power.addr, _applyForLoan());
            SignedRequest memory signed = _sign(request, power);
            _assertJudged(signed, IRelayForwarder.Status.Executed);
            _assertJudged(signed, IRelayForwarder.Status.AlreadySpent);
        }
    }

    function test_APowerBorrowsLikeAnyOther() external {
        Vm.Wallet[3] memory powers = _powers();
        for (uint256 i; i < powers.length; ++i) {
            Vm.Wallet memory power = powers[i];
            vm.prank(power.addr);
            vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
            loan.applyForLoan();
            _forwardFails(power, _repayLoan(1), _error(IMicroLoan.NoLoan.selector, power.addr));
            _borrow(power);
            _forwardFails(
                power, _applyForLoan(), _error(IMicroLoan.LoanActive.selector, power.addr, PRINCIPAL)
            );
            _forwardFails(
                power,
                _repayLoan(PRINCIPAL + 1),
                _error(IMicroLoan.RepaymentTooLarge.selector, PRINCIPAL, PRINCIPAL + 1)
            );
            _forward(power, _repayLoan(PRINCIPAL));
        }
    }

    function test_APowerIsBoundByCapAndLiquidity() external {
        vm.startPrank(owner);
        loan.defund(loan.liquidity());
        vm.stopPrank();
        Vm.Wallet[3] memory powers = _powers();
        for (uint256 i; i < powers.length; ++i) {
            bytes memory reason = _error(IMicroLoan.InsufficientLiquidity.selector, 0, PRINCIPAL);
            _forwardFails(powers[i], _applyForLoan(), reason);
        }
        _setDailyCap(0);
        for (uint256 i; i < powers.length; ++i) {
            bytes memory reason = _error(IMicroLoan.DailyCapReached.selector, 0, PRINCIPAL);
            _forwardFails(powers[i], _applyForLoan(), reason);
        }
    }

    function test_APowersMoneyMovesLikeAnyOther() external {
        Vm.Wallet[3] memory powers = _powers();
        for (uint256 i; i < powers.length; ++i) {
            Vm.Wallet memory power = powers[i];
            bytes memory none = _error(IMicroLoan.ZeroAmount.selector);
            bytes memory little = _error(IMicroLoan.InsufficientBalance.selector, power.addr, 0, 1);
            bytes memory nobody = _error(IMicroLoan.InvalidRecipient.selector, address(0));
            _forwardFails(power, _transfer(bob.addr, 0), none);
            _forwardFails(power, _transfer(bob.addr, 1), little);
            _forwardFails(power, _transfer(address(0), 1), nobody);
            _forwardFails(power, _withdrawTo(bob.addr, 1), little);
            vm.prank(power.addr);
            vm.expectRevert(_error(IMicroLoan.WithdrawalNotDue.selector, power.addr, 0, 0));
            loan.withdraw(1);
            vm.prank(power.addr);
            vm.expectRevert(none);
            loan.deposit();
            vm.prank(power.addr);
            vm.expectRevert(none);
            loan.fund();
            vm.prank(power.addr);
            vm.expectRevert(IMicroLoan.ForwardedCallersOnly.selector);
            loan.withdrawTo(payable(bob.addr), 1);
            bytes memory direct = _error(IMicroLoan.DirectCallersOnly.selector);
            _forwardFails(power, abi.encodeCall(IMicroLoan.withdraw, (1)), direct);
            hoax(power.addr, 2);
            loan.deposit{value: 2}();
            _forward(power, _transfer(power.addr, 2));
            _forward(power, _withdrawTo(power.addr, 1));
            _withdraw(power.addr, 1);
            assertEq(power.addr.balance, 2, "currency of the power");
        }
    }

    /// @dev Their addresses are made of these names.
    function _powers() private returns (Vm.Wallet[3] memory powers) {
        powers = [vm.createWallet("owner"), vm.createWallet("guardian"), vm.createWallet("relayer")];
        assertEq(powers[0].addr, owner, "owner");
        assertEq(powers[1].addr, guardian, "guardian");
        assertEq(powers[2].addr, relayer, "relayer");
    }

    function _assertJudged(SignedRequest memory signed, IRelayForwarder.Status expected) private {
        _assertStatus(_execute(signed).status, expected, "a power's request");
    }
}
